"""Weights of overtaken.py, written by ``python -m bench.overtaken --write``."""

BIAS = -5.89
WEIGHTS = {
    "like": 3.48,
    "like with context": 2.99,
    "like and changes": 4.90,
    "shared": 0.30,
    "share": -1.85,
    "ended": 0.90,
    "other number": 0.91,
    "days": 0.79,
    "unfinished": 0.86,
    "open end": 1.82,
    "commit": 1.84,
    "same session": -3.14,
}
