"""Answers as lines for people: pure functions, one subject a file."""
