#!/bin/sh
# The PostgreSQL image runs this once, in a new cluster. The owner of the database may create roles but is not a superuser.
set -eu
psql --set ON_ERROR_STOP=1 --set password="$DATABASE_PASSWORD" --username postgres <<'SQL'
create role commerce login createrole password :'password';
create database commerce owner commerce;
SQL
