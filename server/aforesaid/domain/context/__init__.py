"""What a session and a prompt are shown, as text."""
