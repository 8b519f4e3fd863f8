#!/bin/sh
# Run by the PostgreSQL image when it creates the database. Creates the role that owns the tables, and the service's role, which owns nothing.
set -eu
secret() { cat "${SECRETS:-/run/secrets}/$1"; }

psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --username="$POSTGRES_USER" --dbname="$POSTGRES_DB" <<SQL
CREATE ROLE tributary_owner LOGIN PASSWORD '$(secret owner_password)';
CREATE ROLE tributary_service LOGIN PASSWORD '$(secret service_password)';
ALTER DATABASE "$POSTGRES_DB" OWNER TO tributary_owner;
ALTER SCHEMA public OWNER TO tributary_owner;
SQL
