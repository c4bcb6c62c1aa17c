UPDATE accounts SET document = json_set(document, '$.addresses', json('[]')) WHERE userid = 'alice';
