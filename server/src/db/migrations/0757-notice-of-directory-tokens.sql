-- When it was said that the token of a directory ends soon. A new token begins without.
alter table directory_secret add column end_told_on timestamptz(3);
