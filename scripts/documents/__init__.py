"""Writing and checking the documentation: see `scripts/write_docs` and `scripts/check_docs`."""
