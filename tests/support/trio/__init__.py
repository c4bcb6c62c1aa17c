"""Trio, a small game that no server plays: it shows what a game may bring along, and where.

Its rules, its words and their translations are here. `plugin.py` makes them known to the program.
"""
