"""The viewer: pages on loopback where a person sees and corrects what is remembered.

server.py starts it, security.py guards it, app.py lists its pages; each page is a module. It holds
no rule and no query of its own: pages call the operations of entrypoints/api, as the other
interfaces do. Reasons: docs/adr/0058.
"""
