#!/bin/bash
# The parts of the official image's docker-entrypoint.sh that compose.yaml needs: directory, password, and scripts for a
# new cluster.
set -eu
export PGDATA=/var/lib/postgresql/18/docker
if [ "$(id -u)" = 0 ]; then
  mkdir -p "$PGDATA"
  chown -R postgres /var/lib/postgresql
  chmod 700 "$PGDATA"
  exec setpriv --reuid=postgres --regid=postgres --clear-groups "$0" "$@"
fi
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  initdb --username=postgres --pwfile=<(printf '%s' "$POSTGRES_PASSWORD") --auth-host=scram-sha-256 --auth-local=trust
  echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
  # While these scripts run, PostgreSQL listens only at its socket.
  pg_ctl --options="-c listen_addresses='' -c unix_socket_directories=/tmp" --wait start
  for script in /docker-entrypoint-initdb.d/*.sh; do PGHOST=/tmp "$script"; done
  pg_ctl --wait stop
fi
exec postgres -c listen_addresses='*' -c unix_socket_directories=/tmp
