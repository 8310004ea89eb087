-- The latest sign-in at an external provider that was audited: its tokens say when it was.
alter table person add column signed_in_at_provider timestamptz(3);
