"""mem0 as an outside memory: its cloud and its library."""
