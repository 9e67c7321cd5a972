"""Answers to a table: who learns by replays what wins most against given opponents."""
