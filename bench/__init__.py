"""Speed, side by side with other implementations in one run, as ratios. `make bench` runs all of it."""
