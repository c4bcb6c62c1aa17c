"""What is right and wrong with a home: one module for each thing that is looked at.

Each has a `check` that yields findings and changes nothing.
"""
