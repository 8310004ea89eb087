-- What a person chose about language and region in the portal: language, time zone, first day of the week, format. Null:
-- the person has chosen nothing.
alter table person add column locale jsonb;
grant update (locale) on person to app_scoped;
