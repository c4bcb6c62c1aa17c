"""The grammar of commands: one table that the parser, the help and the suggestions share. Pure."""
