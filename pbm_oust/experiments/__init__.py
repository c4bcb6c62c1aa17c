"""The rules in large numbers: counting positions, playing games at random, solving boards."""
