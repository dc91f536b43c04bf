"""The server over HTTP, for this machine alone."""
