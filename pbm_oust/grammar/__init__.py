"""How a line is read and written. Pure."""
