#!/bin/sh
# Runs the setup of docs/high-availability.md on one machine for practice: three etcd, three PostgreSQL with Patroni, HAProxy,
# PgBouncer and Redis, on loopback addresses. Needs Debian's packages patroni, etcd-server, haproxy, pgbouncer, redis-server and
# postgresql-15. No watchdog runs here, so a hanging primary is not fenced: production requires one.
#
#   cluster.sh up | down | status | environment | primary | kill-primary | kill NODE |
#              start NODE | superuser-password | patronictl ARGUMENTS
#
# FOLDER (/tmp/commerce-ha) contains all files. NET (127.0.44) is the first three numbers of all addresses.
set -eu
umask 077
FOLDER=${FOLDER:-/tmp/commerce-ha}
NET=${NET:-127.0.44}
HERE=$(cd "$(dirname "$0")" && pwd)
export HA_ADDRESS=$NET.10 DB1=$NET.1 DB2=$NET.2 DB3=$NET.3
export API1=${API1:-$NET.21:8080} API2=${API2:-$NET.22:8080}
ETCD=$NET.1:2379,$NET.2:2379,$NET.3:2379

# PostgreSQL, Patroni and PgBouncer refuse to run as root.
as_postgres() {
  if [ "$(id -u)" = 0 ]; then setpriv --reuid=postgres --regid=postgres --init-groups --reset-env "$@"; else "$@"; fi
}

owned_by_postgres() {
  [ "$(id -u)" != 0 ] || chown postgres "$@"
}

# Starts a program in the background; its pid and log are in FOLDER.
run() {
  name=$1; shift
  if kill -0 "$(cat "$FOLDER/$name.pid" 2> /dev/null)" 2> /dev/null; then return; fi
  (
    exec < /dev/null > /dev/null 2>&1
    as_postgres /bin/sh -c 'echo $$ > "$1"; log=$2; shift 2; exec setsid "$@" >> "$log" 2>&1' sh \
      "$FOLDER/$name.pid" "$FOLDER/$name.log" "$@"
  ) &
}

stop() {
  for file in "$FOLDER"/$1.pid; do
    [ -e "$file" ] || continue
    pid=$(cat "$file")
    kill "${2:--TERM}" "$pid" 2> /dev/null || true
    await 60 sh -c "! kill -0 $pid"
    rm -f "$file"
  done
}

secret() {
  [ -e "$FOLDER/$1.secret" ] || head -c 18 /dev/urandom | od -An -tx1 | tr -d ' \n' > "$FOLDER/$1.secret"
  cat "$FOLDER/$1.secret"
}

start_etcd() {
  run "etcd$1" etcd --name "etcd$1" --data-dir "$FOLDER/etcd$1" --log-level warn \
    --listen-peer-urls "http://$NET.$1:2380" --initial-advertise-peer-urls "http://$NET.$1:2380" \
    --listen-client-urls "http://$NET.$1:2379" --advertise-client-urls "http://$NET.$1:2379" \
    --initial-cluster "etcd1=http://$NET.1:2380,etcd2=http://$NET.2:2380,etcd3=http://$NET.3:2380"
}

start_patroni() {
  run "patroni$1" env PATRONI_NAME="db$1" PATRONI_ETCD3_HOSTS="$ETCD" \
    PATRONI_RESTAPI_LISTEN="$NET.$1:8008" PATRONI_RESTAPI_CONNECT_ADDRESS="$NET.$1:8008" \
    PATRONI_POSTGRESQL_LISTEN="$NET.$1:5432" PATRONI_POSTGRESQL_CONNECT_ADDRESS="$NET.$1:5432" \
    PATRONI_POSTGRESQL_DATA_DIR="$FOLDER/db$1" PATRONI_POSTGRESQL_PGPASS="$FOLDER/db$1.pgpass" \
    PATRONI_SUPERUSER_PASSWORD="$(secret superuser)" PATRONI_REPLICATION_PASSWORD="$(secret replication)" \
    PATRONI_REWIND_PASSWORD="$(secret rewind)" patroni "$HERE/patroni.yml"
}

start_front() {
  sed "s#%HA_ADDRESS%#$HA_ADDRESS#; s#%FOLDER%#$FOLDER#" "$HERE/pgbouncer.ini" > "$FOLDER/pgbouncer.ini"
  echo "\"commerce\" \"$(secret commerce)\"" > "$FOLDER/users.txt"
  owned_by_postgres "$FOLDER/pgbouncer.ini" "$FOLDER/users.txt"
  run haproxy env HA_ADDRESS="$HA_ADDRESS" DB1="$DB1" DB2="$DB2" DB3="$DB3" API1="$API1" API2="$API2" \
    /usr/sbin/haproxy -W -db -f "$HERE/haproxy.cfg"
  run pgbouncer /usr/sbin/pgbouncer --quiet "$FOLDER/pgbouncer.ini"
  run redis redis-server --bind "$HA_ADDRESS" --port 6379 --save '' --dir "$FOLDER"
}

superuser() {
  PGPASSWORD=$(secret superuser) psql -X -q -v ON_ERROR_STOP=1 -h "$HA_ADDRESS" -U postgres "$@"
}

# Repeats a command once a second until it succeeds.
await() {
  seconds=$1; shift
  until "$@" > /dev/null 2>&1; do
    seconds=$((seconds - 1))
    [ "$seconds" -gt 0 ] || { echo "Timeout: $*. The logs are in $FOLDER." >&2; return 1; }
    sleep 1
  done
}

primary() {
  for n in 1 2 3; do
    curl -fs -m 2 -o /dev/null "http://$NET.$n:8008/primary" && { echo "$n"; return; }
  done
  return 1
}

synchronous_standby() {
  for n in 1 2 3; do curl -fs -m 2 -o /dev/null "http://$NET.$n:8008/synchronous" && return; done
  return 1
}

create_database() {
  superuser -d postgres -c "create role commerce login createrole password '$(secret commerce)'"
  superuser -d postgres -c 'create database commerce owner commerce'
  # doctor reads the state of the standbys with this role.
  superuser -d postgres -c 'grant pg_monitor to commerce'
}

case ${1:-} in
  up)
    mkdir -p "$FOLDER"
    owned_by_postgres "$FOLDER"
    for n in 1 2 3; do start_etcd $n; done
    await 30 curl -fs "http://$NET.1:2379/health"
    # A new cluster begins with db1. An existing one needs its last primary or the synchronous standby to start.
    start_patroni 1
    [ -e "$FOLDER/db2" ] || await 90 primary
    start_patroni 2; start_patroni 3; start_front
    await 90 synchronous_standby
    await 30 superuser -d postgres -c 'select'
    superuser -d postgres -Atc "select 1 from pg_database where datname = 'commerce'" | grep -q 1 || create_database
    "$0" status ;;
  down)
    for name in 'redis' 'pgbouncer' 'haproxy' 'patroni*'; do stop "$name"; done
    stop 'etcd*' ;;
  status) "$0" patronictl list ;;
  patronictl)
    shift
    PATRONI_ETCD3_HOSTS=$ETCD patronictl -c "$HERE/patroni.yml" "$@" ;;
  primary)
    n=$(primary) || { echo 'There is no primary.' >&2; exit 1; }
    echo "db$n" ;;
  superuser-password) secret superuser ;;
  start) start_patroni "${2#db}" ;;
  kill-primary)
    n=$("$0" primary)
    "$0" kill "$n" ;;
  kill)
    # Simulates a power failure. Patroni is killed first, because it would restart PostgreSQL.
    n=${2#db}
    stop "patroni$n" -KILL
    postmaster=$(head -1 "$FOLDER/db$n/postmaster.pid")
    sessions=$(pgrep -P "$postmaster")
    kill -KILL "$postmaster"
    # Some sessions may have ended already.
    # shellcheck disable=SC2086
    kill -KILL $sessions 2> /dev/null || true
    echo "killed db$n" ;;
  environment)
    cat << SETTINGS
DATABASE_URL=postgres://commerce:$(secret commerce)@$HA_ADDRESS:6432/commerce
DATABASE_DIRECT_URL=postgres://commerce:$(secret commerce)@$HA_ADDRESS:5432/commerce
DATABASE_POOLING=transaction
REDIS_URL=redis://$HA_ADDRESS:6379
SETTINGS
    ;;
  *) sed -n '2,10s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
