"""A simulated year with known truth, untended and tended."""
