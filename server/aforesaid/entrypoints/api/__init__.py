"""What each tool does and takes: shared by the server, the shell and the library."""
