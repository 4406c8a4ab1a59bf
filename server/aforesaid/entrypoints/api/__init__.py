"""One function a tool, and the arguments it takes: shared by server, shell and library."""
