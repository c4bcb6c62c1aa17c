UPDATE accounts SET document = json_set(document, '$.password', substr(document ->> '$.password', 1, 60)) WHERE userid = 'alice';
