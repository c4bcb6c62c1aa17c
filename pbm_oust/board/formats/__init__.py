"""Games in other formats, written and read back without loss. Pure."""
