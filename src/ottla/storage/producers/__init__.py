"""What a log knows of its producers: sequences, transactions, and their snapshots on the disk."""
