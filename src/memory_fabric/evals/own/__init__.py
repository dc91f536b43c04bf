"""``eval own``: a person's own memory, asked questions that are made of it, without a language model (F-EVAL-1).

Three sets of opposed bias: ``commits`` and ``single-hop`` favour vectors, ``cross-session`` favours the graph.
"""
