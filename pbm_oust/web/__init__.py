"""Pages: the boards of a home for everybody who would rather look than read mail.

Pages are never needed to play. Each reads the home as a command does that only looks, and changes
nothing.
"""
