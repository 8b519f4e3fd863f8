#!/bin/sh
# Makes the secrets that compose.yaml hands to its containers, in ./secrets. What is there already stays as it is.
set -eu
umask 077
mkdir -p secrets
random() { od -An -N24 -tx1 /dev/urandom | tr -d ' \n'; }
make() { [ -e "secrets/$1" ] || printf %s "$2" >"secrets/$1"; }

for name in postgres_password owner_password service_password secret_key; do make "$name" "$(random)"; done
make database_url "postgres://tributary_service:$(cat secrets/service_password)@database/tributary"
make migration_database_url "postgres://tributary_owner:$(cat secrets/owner_password)@database/tributary"

# The containers read them as users of their own; on this machine nobody else gets past the folder.
chmod 444 secrets/*
echo 'The secrets are in ./secrets. Keep a copy of secret_key with your backups.'
