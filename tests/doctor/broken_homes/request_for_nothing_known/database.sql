INSERT INTO verifications (code, purpose, userid, address, asked, message_key, language) VALUES ('c', 'wish', 'alice', 'alice@example.org', 1790000000, '', 'en');
