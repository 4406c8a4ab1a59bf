"""The viewer: pages on loopback where a person sees what is remembered, and mends it.

server.py starts it, security.py guards it, app.py lists its pages; each page is a module. It holds
no rule and no query of its own: pages call the operations of entrypoints/api, as the other
interfaces do. Reasons: docs/adr/0058.
"""
