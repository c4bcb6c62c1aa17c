"""The tables of the database, as numbered steps from nothing to what the program expects.

Step n takes the tables from version n - 1 to version n; the file holds the version as SQLite's
`user_version`. A step that a released program may have taken is never changed: later changes are
further steps. A step is a tuple of texts of SQL, one for each section of the tables.

While hosts of one database are upgraded one after the other, those of the version before go on with
the latest tables. So a step only adds: tables, indexes, and columns that have a default. What is no
longer used is removed by a step of a later release.
"""

LATEST = 10
"""The version that the program works with: the number of the last step."""
OLDEST = 9
"""The lowest version whose programs can work with the latest tables, too.

A step that does more than add raises it to its own number.
"""
