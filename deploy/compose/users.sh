#!/bin/bash
# Makes the two users of the database at its first start: the owner, and the one without rights as whom the servers sign in.
set -e
psql --set ON_ERROR_STOP=1 --username postgres --set owner="$POSTGRES_PASSWORD" --set app="$DB_APP_PASSWORD" <<'SQL'
create role cloudfit_owner login createrole password :'owner';
create role cloudfit_app login noinherit password :'app';
create database cloudfit owner cloudfit_owner;
SQL
