UPDATE accounts SET document = json_set(document, '$.disabled', json('[{"since":"2026-11-20T15:36:00Z"}]')) WHERE userid = 'alice';
