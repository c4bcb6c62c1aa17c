"""What writes and checks the documentation: see `scripts/write_docs` and `scripts/check_docs`."""
