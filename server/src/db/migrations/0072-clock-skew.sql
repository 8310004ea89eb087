-- By how much the clock of the machine is ahead of the server's, as its agent says; negative when behind, null when it agrees.
alter table device add column clock_skew_seconds int;
