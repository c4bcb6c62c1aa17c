"""Who plays whom in a cup or on a ladder, and how they stand. Pure."""
