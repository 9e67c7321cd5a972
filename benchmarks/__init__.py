"""Speed, measured as ratios within one run, and the search for the rank keys."""
