#!/bin/bash
# PostgreSQL that outlives the loss of its leader, on one machine: etcd, two PostgreSQL under Patroni, and HAProxy, which leads to whichever
# is the leader. For trying it; docs/OPERATIONS.md has the same for several machines. Needs Debian's packages postgresql-18, patroni,
# etcd-server and haproxy.
#
#   deploy/patroni/patroni.sh start /var/tmp/cloudfit-patroni    makes it, or starts it again, and prints the addresses for CloudFit
#   deploy/patroni/patroni.sh status /var/tmp/cloudfit-patroni
#   deploy/patroni/patroni.sh stop /var/tmp/cloudfit-patroni     the data stays; remove the folder to begin anew
#
# PORT (5000 unless set) is that of the leader, and the one after it of the standby; the six after these are taken too. TTL (20 s
# unless set, and no less) is how long the leader may be silent.
set -euo pipefail

action=${1:-}
folder=${2:-}
port=${PORT:-5000}
ttl=${TTL:-20}
bin=${PG_BIN:-/usr/lib/postgresql/18/bin}
etcd=$((port + 2)) peer=$((port + 3))
sql=($((port + 4)) $((port + 5)))
rest=($((port + 6)) $((port + 7)))

if [ -z "$folder" ] || [[ ! "$action" =~ ^(start|stop|status)$ ]]; then
  sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0" >&2
  exit 2
fi
# Programs are named by their whole path, because a folder of the caller's PATH may have others.
for program in /usr/bin/etcd /usr/bin/patroni /usr/sbin/haproxy "$bin/postgres"; do
  [ -x "$program" ] || { echo "$program is missing: apt-get install postgresql-18 patroni etcd-server haproxy" >&2; exit 1; }
done

# PostgreSQL refuses root.
as=()
if [ "$(id -u)" = 0 ]; then as=(setpriv --reuid=postgres --regid=postgres --init-groups --); fi

running() { [ -f "$folder/$1.pid" ] && kill -0 "$(cat "$folder/$1.pid")" 2> /dev/null; }

launch() {
  local name=$1
  shift
  running "$name" && return
  "${as[@]}" setsid "$@" >> "$folder/$name.log" 2>&1 < /dev/null &
  echo $! > "$folder/$name.pid"
}

halt() {
  running "$1" || return 0
  local pid
  pid=$(cat "$folder/$1.pid")
  kill -TERM "$pid"
  for _ in $(seq 300); do kill -0 "$pid" 2> /dev/null || break; sleep 0.1; done
  kill -KILL "$pid" 2> /dev/null || true
  rm -f "$folder/$1.pid"
}

secret() { od -An -N18 -tx1 /dev/urandom | tr -d ' \n'; }

configure() {
  mkdir -p "$folder"
  if [ ! -f "$folder/passwords" ]; then
    (umask 077 && for name in superuser replication rewind owner app; do echo "$name=$(secret)"; done > "$folder/passwords")
  fi
  # shellcheck source=/dev/null
  . "$folder/passwords"
  for n in 0 1; do
    (umask 077 && cat > "$folder/db$n.yml" << YAML
scope: cloudfit
name: db$n
restapi: { listen: '127.0.0.1:${rest[$n]}', connect_address: '127.0.0.1:${rest[$n]}' }
etcd3: { hosts: '127.0.0.1:$etcd' }
bootstrap:
  dcs:
    ttl: $ttl
    loop_wait: 5
    retry_timeout: 5
    synchronous_mode: true
    postgresql:
      use_pg_rewind: true
      parameters: { max_connections: 200, max_locks_per_transaction: 256, wal_log_hints: 'on' }
  initdb: [data-checksums, { encoding: UTF8 }, { locale: C }, { locale-provider: builtin }, { builtin-locale: C.UTF-8 }]
postgresql:
  listen: 127.0.0.1:${sql[$n]}
  connect_address: 127.0.0.1:${sql[$n]}
  data_dir: $folder/db$n
  bin_dir: $bin
  pgpass: $folder/db$n.pgpass
  parameters: { unix_socket_directories: '' }
  authentication:
    superuser: { username: postgres, password: '$superuser' }
    replication: { username: replicator, password: '$replication' }
    rewind: { username: rewinder, password: '$rewind' }
  pg_hba:
    - host all all 127.0.0.1/32 scram-sha-256
    - host replication replicator 127.0.0.1/32 scram-sha-256
YAML
    )
  done
  cat > "$folder/haproxy.cfg" << CFG
defaults
  mode tcp
  timeout connect 2s
  timeout client 1d
  timeout server 1d
  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions

listen primary
  bind 127.0.0.1:$port
  option httpchk OPTIONS /primary
  http-check expect status 200
  server db0 127.0.0.1:${sql[0]} check port ${rest[0]}
  server db1 127.0.0.1:${sql[1]} check port ${rest[1]}

# The server of DATABASE_READ_URL; nobody while there is no standby, and CloudFit reads from the leader then.
listen standby
  bind 127.0.0.1:$((port + 1))
  option httpchk OPTIONS /replica
  http-check expect status 200
  server db0 127.0.0.1:${sql[0]} check port ${rest[0]}
  server db1 127.0.0.1:${sql[1]} check port ${rest[1]}
CFG
  if [ "$(id -u)" = 0 ]; then chown -R postgres:postgres "$folder"; fi
}

ask() { PGPASSWORD=$superuser "$bin/psql" --no-psqlrc --quiet --tuples-only --no-align --host 127.0.0.1 --port "$port" --username postgres "$@"; }

users() {
  [ "$(ask --command "select count(*) from pg_database where datname = 'cloudfit'")" = 1 ] && return
  ask --set ON_ERROR_STOP=1 > /dev/null << SQL
create role cloudfit_owner login createrole password '$owner';
create role cloudfit_app login noinherit password '$app';
create database cloudfit owner cloudfit_owner;
SQL
}

case $action in
  start)
    configure
    launch etcd /usr/bin/etcd --name one --data-dir "$folder/etcd" --logger zap --log-level error \
      --listen-client-urls "http://127.0.0.1:$etcd" --advertise-client-urls "http://127.0.0.1:$etcd" \
      --listen-peer-urls "http://127.0.0.1:$peer" --initial-advertise-peer-urls "http://127.0.0.1:$peer" \
      --initial-cluster "one=http://127.0.0.1:$peer"
    launch db0 /usr/bin/patroni "$folder/db0.yml"
    launch db1 /usr/bin/patroni "$folder/db1.yml"
    launch haproxy /usr/sbin/haproxy -db -f "$folder/haproxy.cfg"
    for _ in $(seq 240); do
      standbys=$(ask --command "select count(*) from pg_stat_replication where state = 'streaming' and sync_state = 'sync'" 2> /dev/null || true)
      [ "$standbys" = 1 ] && break
      sleep 0.5
    done
    if [ "${standbys:-}" != 1 ]; then echo "No standby follows the leader yet; see the logs in $folder." >&2; exit 1; fi
    users
    echo "DATABASE_OWNER_URL=postgres://cloudfit_owner:$owner@127.0.0.1:$port/cloudfit"
    echo "DATABASE_URL=postgres://cloudfit_app:$app@127.0.0.1:$port/cloudfit"
    echo "DATABASE_READ_URL=postgres://cloudfit_app:$app@127.0.0.1:$((port + 1))/cloudfit"
    ;;
  status)
    for name in etcd db0 db1 haproxy; do if running "$name"; then echo "$name runs"; else echo "$name does not run"; fi; done
    # Without etcd it would ask for minutes.
    if running etcd; then timeout 20 /usr/bin/patronictl -c "$folder/db0.yml" list; fi
    ;;
  stop) for name in haproxy db1 db0 etcd; do halt "$name"; done ;;
esac
