-- Photos of people: their own, or that of their identity provider. Without content: the person wants none.
create table person_photo (
  person_id uuid primary key references person on delete cascade,
  -- The person's choice, which a photo of the provider never replaces.
  is_own boolean not null,
  content_type text,
  content bytea,
  check ((content is null) = (content_type is null))
);
-- Of people, who are nobody's tenant: each statement names the person.
grant select, insert, update, delete on person_photo to app_scoped, app_global;

alter table person
  -- SHA-256 of the photo that others see, in hexadecimal digits; null: none.
  add column photo text,
  -- Which address of the provider was tried last, when, and why its photo was not taken.
  add column picture_tried text,
  add column picture_tried_on timestamptz(3),
  add column picture_problem text;
grant update (photo) on person to app_scoped;
create index person_picture on person (picture_tried_on) where picture is not null;
