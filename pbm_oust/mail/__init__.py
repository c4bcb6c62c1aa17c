"""Mail in and mail out."""
