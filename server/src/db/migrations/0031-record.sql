-- When the installation took no packets concerns every tenant: what silence means is explained with it.
grant select on installation_gap to app_scoped;
