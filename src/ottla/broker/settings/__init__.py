"""The settings that a broker goes by while it runs: its own, its listeners', its topics'."""
