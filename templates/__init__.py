"""Every sentence that a player reads, as jinja2 templates."""
