"""The rules in large numbers: positions counted, games played at random, boards solved."""
