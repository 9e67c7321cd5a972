"""From a plan to what it counts: the store, who plays, and how far a run is."""
