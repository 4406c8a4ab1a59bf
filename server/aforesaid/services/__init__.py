"""What can be done with memories, each in one module, over ports only."""
