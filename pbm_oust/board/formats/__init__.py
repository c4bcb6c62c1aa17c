"""Games in the forms of other programs, written and taken back without loss. Pure."""
