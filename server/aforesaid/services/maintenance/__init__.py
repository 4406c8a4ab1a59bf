"""What keeps the store true."""
