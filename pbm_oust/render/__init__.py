"""Boards as people see them: as text and as HTML. Pure."""
