"""English names of months and days, and words of sentences about days."""

from __future__ import annotations

MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
#: The first months of seasons, as meteorologists count them in the north.
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
ORDINALS = (("first", "1st"), ("second", "2nd"), ("third", "3rd"), ("fourth", "4th"))
#: A text without any of these names no day relative to the present one.
RELATIVE = ("tomorrow", "yesterday", "ago", "next", "last", "this", "coming")
#: Words of sentences about what happens again and again.
HABITS = (
    *("always", "never", "each", "every", "whenever", "usually", "if", "when"),
    *("older than", "newer than", "within"),
)
