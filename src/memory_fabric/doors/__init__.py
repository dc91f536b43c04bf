"""Front doors: parse input, call ``app``, print."""
