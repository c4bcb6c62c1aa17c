"""One module a command or family: its form, what it does, and what to send where it is refused."""
