"""Pages for users, and what fills in the parts of them that the code can tell."""
