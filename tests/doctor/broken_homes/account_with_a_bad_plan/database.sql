UPDATE accounts SET document = json_set(document, '$.queue', json('[{"kind":"oust","board":17,"record":5,"message_key":"4f0c1d2e9a8b7c6d","answer":"if D4"}]')) WHERE userid = 'alice';
