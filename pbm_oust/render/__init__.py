"""Boards as people see them: as text, as HTML and as SVG. Pure."""
