"""Making a log out of a directory: after a clean stop quickly, after any other one by looking through it."""
