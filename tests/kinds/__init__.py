"""What every kind of game must fulfil: each test runs for each kind in the registry.

Nothing here knows a single game. `pytest tests/kinds -k NAME` runs all of it for one.
"""
