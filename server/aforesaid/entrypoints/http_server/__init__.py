"""The MCP server over HTTP: streamable HTTP at ``/mcp``, and SSE at ``/sse`` for older clients.

It starts in server.py. listening.py and connections.py also serve the viewer. Reasons:
docs/adr/0035.
"""
