"""Where processes begin: hooks, MCP server, command line. They translate; they decide nothing."""
