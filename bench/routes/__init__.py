"""Counts the modules that four routes through the program cross."""
