"""From counts to what they say: estimates, intervals, when to stop."""
