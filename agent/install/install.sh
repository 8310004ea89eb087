#!/bin/sh
# Installs, updates or removes the CloudFit agent on Linux:
#   curl -fsSL @SERVER@/agent/install.sh | sudo sh -s -- --url @SERVER@ --token TOKEN
# Running the script again updates the program and keeps the identity; without --token, it keeps the token too.
set -eu
umask 077

usage() {
  cat <<'END'
Usage: install.sh [--url ADDRESS] [--token TOKEN | --token-file FILE] [--proxy ADDRESS] [--user NAME] [--no-start]
       install.sh --uninstall [--purge]

  --url ADDRESS      the server; the one that this script came from when left out
  --token TOKEN      enrolment token of the tenant; needed at the first installation only
  --token-file FILE  a file that holds it, so that it does not show in the list of processes
  --proxy ADDRESS    proxy to the server, as http://proxy:3128; that of HTTPS_PROXY when left out, none to use none
  --user NAME        the account that the service runs as (cloudfit-agent); root when operations need it
  --no-start         installs, and starts nothing
  --uninstall        stops and removes the agent; --purge also its identity, stored packets and account

As root it installs into /opt/cloudfit-agent with a systemd service, otherwise into ~/.local/share/cloudfit-agent.
END
}

fail() {
  echo "install.sh: $*" >&2
  exit 1
}

has() { command -v "$1" >/dev/null 2>&1; }

fetch() { # address, file
  if has curl; then
    curl -fsSL --retry 3 -o "$2" "$1"
  elif has wget; then
    wget -q -O "$2" "$1"
  else
    fail 'Neither curl nor wget is installed.'
  fi
}

sha256_of() {
  if has sha256sum; then
    sha256sum "$1" | cut -d ' ' -f 1
  elif has shasum; then
    shasum -a 256 "$1" | cut -d ' ' -f 1
  elif has openssl; then
    openssl dgst -sha256 -r "$1" | cut -d ' ' -f 1
  else
    fail 'None of sha256sum, shasum and openssl is installed, so the download cannot be checked.'
  fi
}

platform() {
  [ "$(uname -s)" = Linux ] || fail "This script is for Linux; this is $(uname -s). On Windows run install.ps1."
  case "$(uname -m)" in
    x86_64 | amd64) echo linux-x64 ;;
    aarch64 | arm64) echo linux-arm64 ;;
    *) fail "There is no agent for $(uname -m)." ;;
  esac
}

# Whether systemd is running as the init system, not only installed.
has_systemd() { [ -d "${SYSTEMD_RUNTIME:-/run/systemd/system}" ] && has systemctl; }

unit() {
  cat <<END
[Unit]
Description=CloudFit agent
Documentation=$url/docs
Wants=network-online.target
After=network-online.target
StartLimitIntervalSec=0

[Service]
ExecStart=$dir/cloudfit-agent --supervise
Environment=CLOUDFIT_URL=$url CLOUDFIT_TOKEN_FILE=$conf/token CLOUDFIT_STATE_DIR=$state NODE_USE_SYSTEM_CA=1 CLOUDFIT_SERVICE=removable
# As root, whenever the service ends: an agent that has uninstalled itself cannot remove its service.
ExecStopPost=+/bin/sh $dir/remove-service
User=$user
Restart=always
RestartSec=5
RestartPreventExitStatus=76
TimeoutStopSec=20
MemoryMax=512M
TasksMax=256
UMask=0077
StateDirectory=cloudfit-agent
StateDirectoryMode=0700
END
  # No sandbox for root: an agent that runs as root is meant to change the machine.
  [ "$user" = root ] || cat <<'END'
NoNewPrivileges=yes
CapabilityBoundingSet=
AmbientCapabilities=
ProtectSystem=strict
ProtectHome=read-only
PrivateTmp=yes
PrivateDevices=yes
ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectKernelLogs=yes
ProtectControlGroups=yes
ProtectClock=yes
ProtectHostname=yes
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK
LockPersonality=yes
RemoveIPC=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallErrorNumber=EPERM
END
  cat <<'END'

[Install]
WantedBy=multi-user.target
END
}

# Removes the service, the program and what it has stored, once the agent says there that it has uninstalled itself.
remove_service_script() {
  cat <<END
#!/bin/sh
[ -f "$state/uninstalled" ] || exit 0
systemctl disable cloudfit-agent.service >/dev/null 2>&1
rm -f "$unit_file"
systemctl daemon-reload
rm -rf "$state" "$conf"
END
  # Only the account that this script makes.
  [ "$user" != cloudfit-agent ] || echo 'userdel cloudfit-agent >/dev/null 2>&1'
  echo "rm -rf \"$dir\""
}

uninstall() {
  if [ "$(id -u)" = 0 ] && has_systemd && [ -f "$unit_file" ]; then
    systemctl disable --now cloudfit-agent.service >/dev/null 2>&1 || true
    rm -f "$unit_file"
    systemctl daemon-reload
  fi
  rm -rf "$dir"
  if [ -n "$purge" ]; then
    rm -rf "$state" "$conf"
    # Only the account that this script makes; another one that the service ran as belongs to somebody.
    if [ "$(id -u)" = 0 ] && id cloudfit-agent >/dev/null 2>&1; then
      userdel cloudfit-agent >/dev/null 2>&1 || echo 'The account cloudfit-agent could not be removed: a process of it still runs.'
    fi
    echo 'The agent, its identity and its stored packets are removed. Its device stays in the portal until somebody deletes it.'
  else
    echo "The agent is removed. Its token and identity stay in $conf and $state; --purge removes them too."
  fi
}

install_program() {
  file="cloudfit-agent-$(platform)"
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  fetch "$url/agent/SHA256SUMS" "$work/sums" || fail "$url offers no agent: an administrator of the server runs 'npm run agent' there."
  wanted=$(grep "  $file\$" "$work/sums" | cut -d ' ' -f 1)
  [ -n "$wanted" ] || fail "$url offers no agent for $(platform): an administrator of the server runs 'npm run agent' there."
  if [ -f "$dir/cloudfit-agent" ] && [ "$(sha256_of "$dir/cloudfit-agent")" = "$wanted" ]; then
    echo "$dir/cloudfit-agent is up to date."
    return
  fi
  echo "Downloading $file ..."
  if has gzip; then
    fetch "$url/agent/$file.gz" "$work/agent.gz" && gzip -dc "$work/agent.gz" >"$work/agent" || fail "$url/agent/$file.gz cannot be downloaded."
  else
    fetch "$url/agent/$file" "$work/agent" || fail "$url/agent/$file cannot be downloaded."
  fi
  [ "$(sha256_of "$work/agent")" = "$wanted" ] || fail "The download is damaged: its SHA-256 is not $wanted. Run this again."
  mkdir -p "$dir"
  chmod 755 "$dir"
  cp "$work/agent" "$dir/cloudfit-agent.new"
  chmod 755 "$dir/cloudfit-agent.new"
  "$dir/cloudfit-agent.new" --version >/dev/null || {
    rm -f "$dir/cloudfit-agent.new"
    fail 'The agent does not start on this machine (it needs glibc 2.28 or newer).'
  }
  # A rename, because a program that runs cannot be overwritten.
  mv -f "$dir/cloudfit-agent.new" "$dir/cloudfit-agent"
  # Drops the written file from the page cache, because these pages would count as memory of the service.
  dd of="$dir/cloudfit-agent" oflag=nocache conv=notrunc,fdatasync count=0 2>/dev/null || true
}

# Before the download, which would be in vain.
require_token() {
  [ -n "$token" ] || [ -s "$conf/token" ] || fail 'The token is missing: give --token or --token-file. Devices, Add devices in the portal shows one.'
}

write_private() { # file, text
  printf '%s\n' "$2" >"$1.new"
  chmod 600 "$1.new"
  mv -f "$1.new" "$1"
}

write_settings() {
  mkdir -p "$conf" "$state"
  chmod 700 "$conf" "$state"
  [ -z "$token" ] || write_private "$conf/token" "$token"
  # Not in the unit, which everybody may read: the address of a proxy may have a password.
  case "$proxy" in '') ;; none) rm -f "$state/proxy" ;; *) write_private "$state/proxy" "$proxy" ;; esac
}

# The proxy of the environment, unless it says that the server is reached without.
usual_proxy() {
  host=${url#*://}
  host=${host%%[:/]*}
  case ",${NO_PROXY:-${no_proxy:-}}," in *",$host,"*) ;; *) echo "${HTTPS_PROXY:-${https_proxy:-}}" ;; esac
}

main() {
  url='@SERVER@' token='' proxy='' user='' start=yes remove='' purge=''
  while [ $# -gt 0 ]; do
    case "$1" in
      --url | --token | --token-file | --proxy | --user)
        [ $# -ge 2 ] && [ -n "$2" ] || fail "$1 needs a value."
        case "$1" in
          --url) url=$2 ;;
          --token) token=$2 ;;
          --token-file) token=$(cat "$2") || fail "$2 cannot be read." ;;
          --proxy) proxy=$2 ;;
          --user) user=$2 ;;
        esac
        shift 2
        ;;
      --no-start) start='' && shift ;;
      --uninstall) remove=yes && shift ;;
      --purge) purge=yes && shift ;;
      --help | -h) usage && exit 0 ;;
      *) fail "$1 is not known. See --help." ;;
    esac
  done
  url=${url%/}
  case "$url" in http://?* | https://?*) ;; *) fail "$url is not an address as https://cloudfit.example.com." ;; esac
  case "$url$user" in *[!A-Za-z0-9:/._~%?\&=+@-]* | *'['* | *']'*) fail "$url or $user has characters that do not belong there." ;; esac
  proxy=${proxy:-$(usual_proxy)}
  case "$proxy" in '' | none | http://?* | https://?*) ;; *) fail 'The address of the proxy is not one of http or https.' ;; esac
  case "$proxy" in *[!!-~]* | *[\'\"\\\$\`]*) fail 'The address of the proxy has characters that do not belong there; write them as %22.' ;; esac
  case "$proxy" in '') ;; none) unset https_proxy HTTPS_PROXY http_proxy ;; *) export https_proxy="$proxy" http_proxy="$proxy" ;; esac
  case "$token" in *[!!-~]*) fail 'The token has characters that do not belong there.' ;; esac

  # PREFIX is for tests.
  prefix=${PREFIX:-}
  if [ "$(id -u)" = 0 ]; then
    dir=$prefix/opt/cloudfit-agent conf=$prefix/etc/cloudfit-agent state=$prefix/var/lib/cloudfit-agent
    unit_file=$prefix/etc/systemd/system/cloudfit-agent.service
  else
    dir=${XDG_DATA_HOME:-$HOME/.local/share}/cloudfit-agent conf=${XDG_CONFIG_HOME:-$HOME/.config}/cloudfit-agent
    state=${XDG_STATE_HOME:-$HOME/.local/state}/cloudfit-agent unit_file=''
  fi
  if [ -n "$remove" ]; then
    uninstall
    exit 0
  fi

  require_token
  install_program
  write_settings
  by_hand="$dir/cloudfit-agent --supervise --url $url --token-file $conf/token --state-dir $state"
  if [ "$(id -u)" != 0 ] || ! has_systemd; then
    echo "The agent is installed in $dir. There is no systemd service to start it here; let it be started at each start of the machine by:"
    echo "  $by_hand"
    exit 0
  fi
  user=${user:-cloudfit-agent}
  if ! id "$user" >/dev/null 2>&1; then
    useradd --system --home-dir "$state" --no-create-home --shell /usr/sbin/nologin "$user" || fail "The account $user cannot be made."
  fi
  # The service runs as this account, which must be able to enter the folder and read the token.
  chown -R "$user" "$conf"
  chown "$user" "$state"
  [ ! -f "$state/proxy" ] || chown "$user" "$state/proxy"
  mkdir -p "$(dirname "$unit_file")"
  remove_service_script >"$dir/remove-service.new"
  chmod 755 "$dir/remove-service.new"
  mv -f "$dir/remove-service.new" "$dir/remove-service"
  unit >"$unit_file.new"
  chmod 644 "$unit_file.new"
  mv -f "$unit_file.new" "$unit_file"
  systemctl daemon-reload
  if [ -z "$start" ]; then
    echo "The agent is installed in $dir. Start it by: systemctl enable --now cloudfit-agent"
    exit 0
  fi
  systemctl enable cloudfit-agent.service >/dev/null 2>&1
  systemctl restart cloudfit-agent.service
  echo "The agent is installed in $dir and runs as the service cloudfit-agent (systemctl status cloudfit-agent)."
}

# On the last line, so that an incomplete download of this script runs nothing.
main "$@"
