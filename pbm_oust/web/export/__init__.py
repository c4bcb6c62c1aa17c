"""Pages as files, which any web server can hand out, or a browser open from the disk.

The files are what the application answers. What only a server can do is left out: forms, news of
boards as they come, and playing.
"""
