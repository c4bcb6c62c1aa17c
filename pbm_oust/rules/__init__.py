"""The games. Pure: no files, no clock, no randomness, no mail and no logging."""
