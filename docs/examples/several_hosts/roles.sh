#!/bin/sh
# Makes the two roles and the database when PostgreSQL starts for the first time.
set -eu
psql --username postgres --set ON_ERROR_STOP=1 \
    --set owner_password="$GAMES_OWNER_PASSWORD" --set password="$GAMES_PASSWORD" <<'SQL'
CREATE ROLE games_owner LOGIN PASSWORD :'owner_password';
CREATE ROLE games LOGIN PASSWORD :'password';
CREATE DATABASE games OWNER games_owner ENCODING 'UTF8' TEMPLATE template0;
\connect games
SET ROLE games_owner;
REVOKE ALL ON DATABASE games FROM PUBLIC;
GRANT CONNECT ON DATABASE games TO games;
ALTER DEFAULT PRIVILEGES GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO games;
ALTER DEFAULT PRIVILEGES GRANT USAGE, SELECT, UPDATE ON SEQUENCES TO games;
SQL
