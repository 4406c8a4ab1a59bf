"""Sessions: the context they are shown, and the digests and memories made from them."""
