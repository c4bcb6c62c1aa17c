"""The home: the only package that touches a disk."""
