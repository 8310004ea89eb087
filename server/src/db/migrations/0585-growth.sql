-- Old rows are found by their age, without reading the others.
create index version_day_age on version_day using brin (day) with (autosummarize = on);
create index stale_count_age on stale_count using brin (hour) with (autosummarize = on);
create index communication_mail_created on communication_mail (created);
create index pending_device_unused on pending_device (last_ping) where device_id is null;
-- Each packet of a subject writes `at`: only this kind of index lets such an update stay on its page.
create index rule_memory_age on rule_memory using brin (at) with (autosummarize = on);
