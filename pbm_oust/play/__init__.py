"""What commands share: starting a board, making a move, and who is told what."""
