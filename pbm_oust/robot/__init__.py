"""The house player's thinking. Pure, with chance and time passed in."""
