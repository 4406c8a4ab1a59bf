"""Text and time of any kind: tokens, stems, hashes, dates, sanitizing."""
