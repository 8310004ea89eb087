-- With LDAP: whether the groups that contain the groups of a person count. Directories of before go on as they were.
alter table directory add column nested_groups boolean not null default false;
-- Whether people whom SCIM makes are told by mail how to sign in.
alter table directory add column tell_new_people boolean not null default false;
