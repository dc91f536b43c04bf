"""Word lists for spotting entities and statements: data that a user may extend (vocabulary.md)."""

from memory_fabric.lexicon.lexicon import Lexicon, Term, load
from memory_fabric.lexicon.spotting import Spotted

__all__ = ["Lexicon", "Spotted", "Term", "load"]
