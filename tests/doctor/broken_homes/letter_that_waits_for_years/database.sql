INSERT INTO letters (id, recipient, normal, userid, kind, board, record, copies, is_answer,
    may_show_any_board, message_id, subject, posted, state, next_try, content)
VALUES (7, 'alice@example.org', 'alice@example.org', NULL, 'oust', 2, 2, 1, 0,
    0, '<oust.2.2.0@games.example.org>', 'oust 2 #3: your turn, alice', unixepoch('2100-01-01'), 'waiting', unixepoch('2100-01-01'),
    CAST('Subject: oust 2 #3: your turn, alice

It is your turn.
' AS BLOB));
