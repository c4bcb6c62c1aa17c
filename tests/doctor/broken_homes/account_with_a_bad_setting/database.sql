UPDATE accounts SET document = json_set(document, '$.settings', json('[{"name":"mail","value":"never"}]')) WHERE userid = 'alice';
