"""Mail in and mail out."""

LARGEST_MAIL = 256 * 1024
"""In bytes, as it is on the wire."""
