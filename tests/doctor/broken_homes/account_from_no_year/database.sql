UPDATE accounts SET document = json_set(document, '$.joined', json('"99999-01-01T00:00:00Z"')) WHERE userid = 'alice';
