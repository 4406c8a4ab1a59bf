"""The version of this package: the same in pyproject.toml and the plugin's manifest (a test)."""

__version__ = "0.2.0"
