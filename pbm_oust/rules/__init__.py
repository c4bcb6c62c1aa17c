"""The rules of the games. Pure: no files, no clock, no chance, no mail, no logging."""
