INSERT INTO notes VALUES ('carol', 0, 'oust', 1, 'hello');
