INSERT INTO waiting_lines VALUES ('oust', 2, 3,
    CAST('   3 x B3*1                      2024-05-01T21:25:46Z 3078053f4b80bb3e
= x capture
' AS BLOB), '3078053f4b80bb3e');
