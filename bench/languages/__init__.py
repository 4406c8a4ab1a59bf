"""Questions in seven languages on English memories, and English ones on memories in six others."""
