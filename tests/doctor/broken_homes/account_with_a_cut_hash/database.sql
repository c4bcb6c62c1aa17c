UPDATE accounts SET password = substr(password, 1, 60) WHERE userid = 'alice';
