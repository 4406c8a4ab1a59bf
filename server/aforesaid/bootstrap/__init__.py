"""What runs before the environment exists: standard library only, on any Python from 3.11."""
