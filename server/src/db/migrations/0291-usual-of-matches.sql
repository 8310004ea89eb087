-- What the metrics of a rule's baselines usually are, as it was when the match opened: an array of readings. Null for
-- matches of other rules, and for those that a server of the version before opens.
alter table rule_match add column usual jsonb;
