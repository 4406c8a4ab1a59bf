"""Text and time, whatever they are about: tokens, stems, hashes, dates, sanitizing."""
