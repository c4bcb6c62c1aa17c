"""What is right and wrong with a home: one module for each thing to examine.

Each module has a `check` that yields findings and changes nothing.
"""
