"""Word lists for spotting entities and statements: data that a user may extend (vocabulary.md)."""
