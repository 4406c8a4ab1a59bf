"""Values as plain dictionaries, the same at every interface."""
