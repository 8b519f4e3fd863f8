#!/bin/sh
# Run by the image of PostgreSQL when its database is made: the owner of the tables, and the service, which owns nothing.
set -eu
secret() { cat "${SECRETS:-/run/secrets}/$1"; }

psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --username="$POSTGRES_USER" --dbname="$POSTGRES_DB" <<SQL
CREATE ROLE tributary_owner LOGIN PASSWORD '$(secret owner_password)';
CREATE ROLE tributary_service LOGIN PASSWORD '$(secret service_password)';
ALTER DATABASE "$POSTGRES_DB" OWNER TO tributary_owner;
ALTER SCHEMA public OWNER TO tributary_owner;
SQL
