"""What comes from elsewhere: old transcripts, other memories, git, exports."""
