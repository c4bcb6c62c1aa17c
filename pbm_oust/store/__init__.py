"""The home of a server: the only package that touches a disk."""
