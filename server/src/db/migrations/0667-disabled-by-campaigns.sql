-- The operations that a campaign has disabled because they need the package that it removes; a return enables them.
alter table campaign_device add column disabled_operations uuid[];
