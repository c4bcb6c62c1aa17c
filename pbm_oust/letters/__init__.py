"""Notices as mail."""
