"""The programs that scripts/bench_mail runs beside one another, and what they are given."""
