/** Statements that insert rows of packages and devices that the API does not create from a body, for the resource suite. */

interface SubscriptionIds {
  tenantId: string;
  subscriptionId: string;
}

/** Begins a statement: inserts a package `p` of the tenant `$1` and its version `v`. */
const withPackage = `with p as (insert into package (tenant_id, name, package_type_id, executable_type_id) values ($1, uuidv7()::text, 1, 2) returning *),
  v as (insert into package_version (package_id, tenant_id, version, precedence, label, package_version_status_id, operating_system_rids_id, executable_name, file_name, file_size, sha256, manifest, storage_name, created_by)
    select package_id, tenant_id, '1.0.0', '~', 'A version', 1, 0, 'run.js', 'a.zip', 1, 'x', '{}', uuidv7()::text, 'test' from p returning *)`;

/** Continues a `with`: inserts a device `d` in the subscription `$2` of the tenant `$1`. */
const withDevice = 'd as (insert into device (tenant_id, subscription_id, name) values ($1, $2, uuidv7()::text) returning *)';

const installed = (home: SubscriptionIds) => ({
  text: `${withPackage}, ${withDevice} insert into device_installation (tenant_id, device_id, package_id, package_version_id, installed_version_id, install_status)
    select $1, device_id, package_id, package_version_id, package_version_id, 'Installed' from v, d returning device_installation_id as key`,
  values: [home.tenantId, home.subscriptionId],
});

export const deviceRows: Record<string, (home: SubscriptionIds) => { text: string; values: unknown[] }> = {
  selectionMembers: (home) => ({
    text: `with ${withDevice}, s as (insert into device_selection (tenant_id, name, filter, created_by, modified_by) values ($1, 'Some', 'enabled eq true', 'test', 'test') returning *)
      insert into selection_member (tenant_id, device_selection_id, device_id) select $1, device_selection_id, device_id from d, s returning selection_member_id as key`,
    values: [home.tenantId, home.subscriptionId],
  }),
  policyItems: (home) => ({
    text: `with ${withDevice}, p as (insert into device_policy (tenant_id, name, created_by, modified_by) values ($1, 'Managed', 'test', 'test') returning *)
      insert into policy_item (tenant_id, policy_id, device_id, kind, key, label, value, on_leave, state)
      select $1, policy_id, device_id, 'Tag', 'Tag managed', 'managed', '"managed"', 'Remove', 'Set' from d, p returning policy_item_id as key`,
    values: [home.tenantId, home.subscriptionId],
  }),
  pendingDevices: (home) => ({
    text: "insert into pending_device (tenant_id, machine_name, operating_system, architecture, machine_key) values ($1, 'db-1', 'Debian GNU/Linux 12', 'x64', uuidv7()) returning pending_device_id as key",
    values: [home.tenantId],
  }),
  operations: (home) => ({
    text: `${withPackage} insert into operation (tenant_id, package_id, name, frequency_definitions) select tenant_id, package_id, 'Measure', '[1, 2]' from p returning operation_id as key`,
    values: [home.tenantId],
  }),
  packageVersions: (home) => ({ text: `${withPackage} select package_version_id as key from v`, values: [home.tenantId] }),
  deviceInstallations: installed,
  complianceReport: installed,
  operationRuns: (home) => ({
    text: `${withPackage}, ${withDevice},
      o as (insert into operation (tenant_id, package_id, name, frequency_definitions) select tenant_id, package_id, 'Measure', '[1, 2]' from p returning *),
      w as (insert into device_operation (tenant_id, device_id, operation_id, label, frequency_type_id, package_name, package_type, package_executable_type, operation_type)
        select $1, device_id, operation_id, 'Disk', 2, 'Checks', 'Watcher', 'Script', 'Metric' from d, o returning *)
      insert into operation_run (tenant_id, device_id, device_operation_id, status) select $1, device_id, device_operation_id, 'Running' from w returning operation_run_id as key`,
    values: [home.tenantId, home.subscriptionId],
  }),
  campaigns: (home) => ({
    text: `insert into campaign (tenant_id, title, kind, total, waiting, created_by, owner_kind, correlation_id)
      values ($1, 'Restart agent', 'RestartAgent', 1, 1, 'test', 'system', uuidv7()) returning campaign_id as key`,
    values: [home.tenantId],
  }),
  campaignDevices: (home) => ({
    text: `with ${withDevice}, c as (insert into campaign (tenant_id, title, kind, total, waiting, created_by, owner_kind, correlation_id)
        values ($1, 'Restart agent', 'RestartAgent', 1, 1, 'test', 'system', uuidv7()) returning campaign_id)
      insert into campaign_device (tenant_id, campaign_id, device_id) select $1, campaign_id, device_id from c, d returning campaign_device_id as key`,
    values: [home.tenantId, home.subscriptionId],
  }),
  deviceLogs: (home) => ({
    text: `with ${withDevice} insert into device_log (tenant_id, device_id, entry_type, detail) select tenant_id, device_id, 'Information', 'Started' from d returning log_entry_id as key`,
    values: [home.tenantId, home.subscriptionId],
  }),
};
