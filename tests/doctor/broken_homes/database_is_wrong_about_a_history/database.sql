UPDATE boards SET to_move = 'bob' WHERE kind = 'oust' AND board = 2;
