"""What tending costs, and whether anybody has to wait for it."""
