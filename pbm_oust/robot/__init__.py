"""How the house player thinks, which is pure but for chance and time."""
