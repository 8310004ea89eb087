-- While nothing is in maintenance, only matches whose maintenance has just ended are looked at.
create index rule_match_in_maintenance on rule_match (rule_match_id) where closed is null and in_maintenance;
