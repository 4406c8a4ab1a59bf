"""Builds services and connects them to adapters."""
