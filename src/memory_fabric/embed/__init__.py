"""Embedders: one file each.  They meet the search through ``ports.Embedder``."""
