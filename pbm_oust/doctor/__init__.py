"""What is right and wrong with a home.

Each `check_` function yields findings about one thing, and changes nothing.
"""
