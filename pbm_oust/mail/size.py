"""How large a mail may be."""

LARGEST_MAIL = 256 * 1024
"""In bytes."""
