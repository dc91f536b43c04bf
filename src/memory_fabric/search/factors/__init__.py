"""The reasons of a score, one file each (F-RANK-1); a new factor is a file and a line here."""

from memory_fabric.search.factors.authority import authority
from memory_fabric.search.factors.recency import recency
from memory_fabric.search.factors.relevance import relevance

__all__ = ["authority", "recency", "relevance"]
