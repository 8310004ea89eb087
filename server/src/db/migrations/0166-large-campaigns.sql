-- The next device of a campaign to begin, however many have begun already.
create index campaign_device_next on campaign_device (campaign_id, ring, campaign_device_id) where begun is null and ended is null;
