"""The per-record loops, compiled where a compiler was at hand, and their pure-Python twin."""
