-- What a call is about. Of calls that waited for a receiver, those of one series are sent one after the other.
alter table job add column series text;
