#!/bin/sh
# Run once by the image of PostgreSQL, in a new cluster: the login that owns the shop's database is no superuser, and may make roles.
set -eu
psql --set ON_ERROR_STOP=1 --set password="$DATABASE_PASSWORD" --username postgres <<'SQL'
create role commerce login createrole password :'password';
create database commerce owner commerce;
SQL
