UPDATE accounts SET document = json_set(document, '$.seeks', json('[{"kind":"oust","number":3,"at":"2024-05-01T21:12:26Z","grid":"round","terms":"swap"}]')) WHERE userid = 'alice';
