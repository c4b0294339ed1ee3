"""Segments: a log's files, their indexes, and how bytes in them are found."""
