UPDATE accounts SET document = json_set(document, '$.vacations', json('[{"begins":"99999-01-01T00:00:00Z","ends":"99999-01-01T00:00:00Z"}]')) WHERE userid = 'alice';
