"""How fast it is, and how much room it takes, on memories made for the purpose (``memory-fabric bench``).

``synthetic`` makes the memory; ``vectors`` and ``build`` fill a store with it; ``asking`` and ``stages`` time
questions, ``lag`` and ``process`` what surrounds them, ``alone`` numpy and FTS5 by themselves; ``run`` does it all.
"""
