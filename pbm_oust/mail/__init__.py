"""Mail in and mail out."""

LARGEST_MAIL = 256 * 1024
"""The most bytes of a mail on the wire."""
