"""Everything compiled, and nothing else: random stream, deck, rank tables, evaluation, play."""
