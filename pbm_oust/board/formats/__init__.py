"""Games in other forms, written and read back without loss. Pure."""
