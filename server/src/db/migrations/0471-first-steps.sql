-- When an administrator no longer wanted to see the first steps of an installation.
alter table person add column first_steps_dismissed timestamptz(3);
grant update (first_steps_dismissed) on person to app_scoped;
