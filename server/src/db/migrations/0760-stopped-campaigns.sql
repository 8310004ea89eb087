-- Campaigns that have stopped of late are looked for each minute, among all that ever stopped.
create index campaign_stopped on campaign (modified) where state in ('Stopping', 'Stopped') and stop_reason is not null;
