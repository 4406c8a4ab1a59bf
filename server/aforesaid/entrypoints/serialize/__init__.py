"""Values as plain data, the same for every interface."""
