"""Boards as people look at them."""
