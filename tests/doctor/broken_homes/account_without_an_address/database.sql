DELETE FROM addresses WHERE userid = 'alice';
