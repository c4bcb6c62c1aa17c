"""Pairings and standings of cups and ladders. Pure."""
