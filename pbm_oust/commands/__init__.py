"""One module for each command or family: its form, what it does, and what to send instead."""
