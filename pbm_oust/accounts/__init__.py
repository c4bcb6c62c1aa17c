"""Accounts and their contents, as values. Pure."""
