"""The parts of an image, one noun a file: an immutable image, and a delta that replays the records of that noun."""
