UPDATE accounts SET joined = 99999999999999 WHERE userid = 'alice';
