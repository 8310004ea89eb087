-- What a kind of campaign needs besides an operation or a package, and why a campaign was stopped.
alter table campaign add column settings jsonb;
alter table campaign add column stop_reason text;
