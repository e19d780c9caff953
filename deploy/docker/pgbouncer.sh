#!/bin/sh
# PgBouncer in transaction mode in front of one PostgreSQL. Environment: DATABASE_HOST, DATABASE_PORT (5432), POOL_SIZE (20),
# LISTEN_PORT (6432), and DATABASE_PASSWORD, the password of the login `commerce` on both sides.
set -eu
umask 077
folder=$(mktemp -d)
# A quote would end the password in the configuration file.
case $DATABASE_PASSWORD in *[\"\'\\]*) echo 'DATABASE_PASSWORD must not contain quotes or backslashes.' >&2; exit 1 ;; esac
printf '"commerce" "%s"\n' "$DATABASE_PASSWORD" > "$folder/users.txt"
cat > "$folder/pgbouncer.ini" <<INI
[databases]
* = host=$DATABASE_HOST port=${DATABASE_PORT:-5432} user=commerce password='$DATABASE_PASSWORD'
[pgbouncer]
listen_addr = ${LISTEN_ADDRESS:-0.0.0.0}
listen_port = ${LISTEN_PORT:-6432}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = $folder/users.txt
pool_mode = transaction
default_pool_size = ${POOL_SIZE:-20}
max_client_conn = 500
INI
exec pgbouncer --quiet "$folder/pgbouncer.ini"
