"""The cluster as a broker tells it to clients: the newest image, and what is answered out of it."""
