"""What a session is shown, and what it leaves behind."""
