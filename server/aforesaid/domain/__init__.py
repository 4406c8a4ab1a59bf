"""What memory is, as pure values and functions: no I/O, no driver, no clock, no environment."""
