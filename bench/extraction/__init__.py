"""What of an answer is believed: items worded as a model words them, true and invented."""
