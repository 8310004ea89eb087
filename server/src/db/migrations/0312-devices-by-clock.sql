-- The devices whose clock differs from the server's, for the list of what is late.
create index device_clock on device (tenant_id) where clock_skew_seconds is not null;
