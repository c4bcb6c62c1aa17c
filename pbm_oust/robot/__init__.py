"""The house player: how it thinks, which is pure but for chance and time, and how it plays."""
