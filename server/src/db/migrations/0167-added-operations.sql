-- The device operations that a campaign has added to a device; they are removed when the campaign is returned.
alter table campaign_device add column added_operations uuid[];
