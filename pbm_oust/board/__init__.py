"""One board as a fold over its records. Pure."""
