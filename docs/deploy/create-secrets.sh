#!/bin/sh
# Creates the secrets that compose.yaml passes to its containers, in ./secrets. Existing ones are kept.
set -eu
umask 077
mkdir -p secrets
random() { od -An -N24 -tx1 /dev/urandom | tr -d ' \n'; }
make() { [ -e "secrets/$1" ] || printf %s "$2" >"secrets/$1"; }

for name in postgres_password owner_password service_password secret_key; do make "$name" "$(random)"; done
make database_url "postgres://tributary_service:$(cat secrets/service_password)@database/tributary"
make migration_database_url "postgres://tributary_owner:$(cat secrets/owner_password)@database/tributary"

# The containers read them as different users; on this machine the directory's mode keeps other users out.
chmod 444 secrets/*
echo 'Secrets created in ./secrets. Keep a copy of secret_key, apart from your backups.'
