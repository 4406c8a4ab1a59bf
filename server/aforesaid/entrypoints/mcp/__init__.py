"""The MCP server: handlers, worker threads, prompts and resources, the transport."""
