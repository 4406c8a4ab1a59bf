"""Which project a folder is: detection, git remotes, hints, the context of a call."""
