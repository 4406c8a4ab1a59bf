"""Weights of overtaken.py, written by ``python -m bench.overtaken --write``."""

BIAS = -6.79
WEIGHTS = {
    "like": 3.79,
    "like with context": 4.01,
    "like and changes": 5.32,
    "shared": 0.35,
    "share": -2.33,
    "ended": 0.93,
    "other number": 0.83,
    "days": 0.63,
    "unfinished": 0.75,
    "open end": -0.36,
    "open end, like": 3.76,
    "open end, shared": 0.32,
    "commit": 2.28,
    "same session": -3.51,
}
