UPDATE accounts SET document = json_set(document, '$.board_limits', json('[{"boards":-1}]')) WHERE userid = 'alice';
