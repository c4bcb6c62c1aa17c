"""A request becomes a command carried out."""
