"""One file a suite: what it reads, and what counts as an item."""
