"""What the commands do, one module a family, as in `commands`."""
