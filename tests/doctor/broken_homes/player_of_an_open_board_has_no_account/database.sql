DELETE FROM addresses WHERE userid = 'bob';
DELETE FROM accounts WHERE userid = 'bob';
