"""The write path: storing, updating, forgetting and erasing memories."""
