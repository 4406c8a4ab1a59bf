"""Calibration of relevance on several kinds of text, each judged by what the others teach."""
