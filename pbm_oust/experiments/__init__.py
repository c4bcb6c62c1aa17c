"""The rules in large numbers: positions counted."""
