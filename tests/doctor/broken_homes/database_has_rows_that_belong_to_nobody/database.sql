INSERT INTO watched VALUES ('oust', 1, 'carol');
