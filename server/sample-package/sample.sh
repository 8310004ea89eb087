#!/bin/sh
# The script of both operations. Its arguments are those of the operation in cloudfit.json, with the values of the parameters.
# Each line of output that is a JSON object is a report; other lines are for people. Exit code 0 is success.
set -eu

# A text as JSON.
quoted() {
  printf '"%s"' "$(printf '%s' "$1" | sed 's/[\\"]/\\&/g')"
}

space() {
  folder=$1 least=$2
  echo "Looking at $folder"
  free=$(df -Pk -- "$folder" | awk 'NR == 2 { print int($4 / 1024) }')
  [ "$free" -ge "$least" ] && state=enough || state=low
  printf '{"value": %s, "metrics": {"FreeMiB": %s}, "states": {"Space": "%s"}, "diagnostics": {"Folder": %s}}\n' \
    "$free" "$free" "$state" "$(quoted "$folder")"
}

system() {
  printf '{"value": %s, "states": {"Machine": %s}}\n' "$(quoted "$(uname -sr)")" "$(quoted "$(uname -m)")"
}

case $1 in
  space) space "$2" "$3" ;;
  system) system ;;
  *)
    echo "There is no operation $1." >&2
    exit 1
    ;;
esac
