/** Types of the tables, printed from the migrated database by `npm run tables`; do not edit. */
import type { Generated, JSONColumnType } from 'kysely';

type Json = JSONColumnType<object>;

interface AccessGrantTable {
  grant_id: Generated<string>;
  person_id: string | null;
  claim: string | null;
  permission_set_id: string;
  tenant_id: string | null;
  created: Generated<string>;
}

interface ActionDefinitionTable {
  action_definition_id: Generated<string>;
  tenant_id: string | null;
  name: string;
  description: string | null;
  action_definition_type_id: number;
  input_parameters: string | null;
  endpoint_url: string | null;
  http_method: string | null;
  headers: string | null;
  body: string | null;
  created: Generated<string>;
  modified: Generated<string>;
  version: Generated<number>;
}

interface ActionHistoryTable {
  action_history_id: Generated<number>;
  tenant_id: string;
  action_definition_id: string;
  action_processed: Generated<string>;
  result_status_id: number;
  input_parameters: Generated<string>;
  result_detail: JSONColumnType<object | null>;
  correlation_id: string;
  reference_id: string | null;
  message_id: string;
  work_unit_id: number | null;
  protocol_action_id: string | null;
  protocol_event_id: string | null;
}

interface AuditTable {
  audit_id: Generated<number>;
  at: Generated<string>;
  tenant_id: string | null;
  actor_kind: string;
  actor_id: string | null;
  actor_name: string;
  verb: string;
  entity: string;
  entity_id: string;
  before: JSONColumnType<object | null>;
  after: JSONColumnType<object | null>;
  correlation_id: string;
  address: string | null;
}

interface BacktestRunTable {
  backtest_run_id: Generated<string>;
  tenant_id: string;
  input: Json;
  state: Generated<string>;
  progress: Generated<number>;
  packets: Generated<number>;
  result: JSONColumnType<object | null>;
  error: string | null;
  owner_kind: string;
  owner_id: string | null;
  created_by: string;
  correlation_id: string;
  created: Generated<string>;
  modified: Generated<string>;
}

interface BlockTable {
  block_id: Generated<string>;
  tenant_id: string;
  subscription_id: string;
  device_id: string | null;
  entity_id: string;
  name: string;
  description: string | null;
  block_type_id: number;
  entity_color: Generated<Json>;
  created: Generated<string>;
  modified: Generated<string>;
  version: Generated<number>;
}

interface BlockLogTable {
  log_entry_id: Generated<number>;
  block_id: string;
  tenant_id: string;
  detail: string;
  created: Generated<string>;
  created_by: string;
  correlation_id: string;
}

interface CallLimitTable {
  limit_key: Buffer;
  calls: string[];
  last_call: Generated<string>;
}

interface ChangeTable {
  change_id: Generated<number>;
  xid: Generated<string>;
  at: Generated<string>;
  tenant_id: string | null;
  verb: string;
  entity: string;
  entity_id: string;
  correlation_id: string;
}

interface CommunicationNotificationTable {
  work_unit_communication_id: number;
  tenant_id: string;
  content_digest: string;
  sent: Generated<string>;
}

interface CommunicationWorkUnitTable {
  work_unit_relation_id: number | null;
  work_unit_communication_id: number | null;
  tenant_id: string | null;
  linked: string | null;
  version: number | null;
  work_unit_id: number | null;
  public_work_unit_id: number | null;
  title: string | null;
  severity_id: string | null;
  state_id: string | null;
  assigned_to: string | null;
  created: string | null;
  modified: string | null;
}

interface ComplianceReportTable {
  compliance_report_id: string | null;
  device_id: string | null;
  device_name: string | null;
  tenant_id: string | null;
  tenant_name: string | null;
  subscription_id: string | null;
  subscription_name: string | null;
  package_id: string | null;
  package_name: string | null;
  version_status: string | null;
  is_compliant: boolean | null;
  installed_version: string | null;
  installed_version_released: string | null;
  latest_version: string | null;
  latest_version_released: string | null;
}

interface ControlTable {
  id: Generated<string>;
  control_set_id: string;
  name: string;
  title: string;
  description: string | null;
  position: number;
  created: Generated<string>;
  modified: Generated<string>;
  version: Generated<number>;
}

interface ControlSetTable {
  id: Generated<string>;
  name: string;
  description: string | null;
  created: Generated<string>;
  modified: Generated<string>;
  version: Generated<number>;
}

interface ControlStatusTable {
  id: Generated<string>;
  tenant_id: string;
  control_id: string;
  check_date: string;
  status: Generated<string>;
  notes: string | null;
  created: Generated<string>;
  modified: Generated<string>;
  modified_by: string;
  version: Generated<number>;
}

interface DestinationTable {
  destination_id: Generated<string>;
  tenant_id: string;
  origin: string;
  failures: Generated<number>;
  paused_until: string | null;
  disabled: string | null;
  last_error: string | null;
  created: Generated<string>;
  modified: Generated<string>;
  version: Generated<number>;
}

interface DeviceTable {
  device_id: Generated<string>;
  tenant_id: string;
  subscription_id: string;
  location_id: string | null;
  name: string;
  description: string | null;
  tags: string | null;
  device_type_id: Generated<number>;
  operating_system_id: Generated<number>;
  device_logging_level_id: Generated<number>;
  heartbeat_interval: Generated<number>;
  enabled: Generated<boolean>;
  restart_agent_flag: Generated<boolean>;
  trace_minutes: Generated<number>;
  trace_expiration: string | null;
  is_deleted: Generated<boolean>;
  created: Generated<string>;
  modified: Generated<string>;
  version: Generated<number>;
  operations_version: Generated<number>;
}

interface DeviceInstallationTable {
  device_installation_id: Generated<string>;
  tenant_id: string;
  device_id: string;
  package_id: string;
  package_version_id: string | null;
  installed_version_id: string | null;
  install_status: string;
  status_detail: string | null;
  created: Generated<string>;
  modified: Generated<string>;
  version: Generated<number>;
}

interface DeviceLogTable {
  log_entry_id: Generated<number>;
  tenant_id: string;
  device_id: string;
  device_operation_id: string | null;
  created: Generated<string>;
  entry_type: string;
  detail: string;
}

interface DeviceOperationTable {
  device_operation_id: Generated<string>;
  tenant_id: string;
  device_id: string;
  operation_id: string;
  label: string;
  reference_id: string | null;
  global_setting_id: string | null;
  enabled: Generated<boolean>;
  operation_complete: Generated<boolean>;
  completion_token: string | null;
  frequency_type_id: number;
  interval: Generated<number>;
  parameters: Generated<Json>;
  is_interactive: Generated<boolean>;
  is_deleted: Generated<boolean>;
  package_name: string;
  package_type: string;
  package_executable_type: string;
  operation_type: string;
  created: Generated<string>;
  modified: Generated<string>;
  version: Generated<number>;
}

interface ExternalNoteTable {
  work_unit_note_id: number | null;
  work_unit_id: number | null;
  tenant_id: string | null;
  detail: string | null;
  created: string | null;
  version: number | null;
}

interface FeatureTable {
  feature_id: Generated<string>;
  name: string;
  description: string;
  enabled: Generated<boolean>;
  created: Generated<string>;
  modified: Generated<string>;
  version: Generated<number>;
}

interface IdentityItemTable {
  model: string;
  id: string;
  payload: Json;
  account_id: string | null;
  grant_id: string | null;
  uid: string | null;
  user_code: string | null;
  expires_at: string | null;
  consumed_at: string | null;
}

interface InstallationGapTable {
  gap_id: Generated<number>;
  gap_start: string;
  gap_end: string;
}

interface InstallationPulseTable {
  one: Generated<boolean>;
  at: string;
}

interface JobTable {
  job_id: Generated<number>;
  name: string;
  tenant_id: string | null;
  payload: Json;
  run_at: Generated<string>;
  attempts: Generated<number>;
  leased_until: string | null;
  leased_by: string | null;
  last_error: string | null;
  dead_at: string | null;
  correlation_id: string;
  once_key: string | null;
  created: Generated<string>;
}

interface LatestPacketTable {
  entity_id: string;
  tenant_id: string;
  timestamp: string;
  received_timestamp: string;
  packet_id: string;
  message: Json;
  rule_state: JSONColumnType<object | null>;
}

interface LocationTable {
  location_id: Generated<string>;
  tenant_id: string | null;
  name: string;
  address1: string | null;
  address2: string | null;
  city: string | null;
  state: string | null;
  country: string | null;
  postal_code: string | null;
  coordinates: string | null;
  created: Generated<string>;
  modified: Generated<string>;
  version: Generated<number>;
}

interface MigrationTable {
  name: string;
  at: Generated<string>;
}

interface OneTimeLinkTable {
  token_hash: Buffer;
  person_id: string;
  expires_on: string;
  used_on: string | null;
  created: Generated<string>;
}

interface OperationTable {
  operation_id: Generated<string>;
  tenant_id: string | null;
  package_id: string | null;
  name: string;
  description: string | null;
  parameter_definitions: Generated<Json>;
  frequency_definitions: Json;
  default_interval: Generated<number>;
  operation_type_id: Generated<number>;
  operation_result_type_id: Generated<number>;
  is_deleted: Generated<boolean>;
  created: Generated<string>;
  modified: Generated<string>;
  version: Generated<number>;
}

interface OutboxMessageTable {
  outbox_message_id: Generated<string>;
  tenant_id: string;
  message_id: string;
  recipients: string;
  subject: string;
  body: string;
  is_important: Generated<boolean>;
  correlation_id: string;
  created: Generated<string>;
}

interface PackageTable {
  package_id: Generated<string>;
  tenant_id: string | null;
  name: string;
  description: string | null;
  package_type_id: number;
  executable_name: string | null;
  executable_type_id: number;
  reference_url: string | null;
  operating_system_rids_id: Generated<number>;
  parameter_definitions: Generated<Json>;
  created: Generated<string>;
  modified: Generated<string>;
  version: Generated<number>;
}

interface PackageVersionTable {
  package_version_id: Generated<string>;
  package_id: string;
  tenant_id: string | null;
  version: string;
  precedence: string;
  label: string;
  package_version_status_id: number;
  operating_system_rids_id: number;
  executable_name: string;
  file_name: string;
  file_size: number;
  sha256: string;
  manifest: Json;
  storage_name: string;
  created: Generated<string>;
  created_by: string;
}

interface PacketTable {
  tenant_id: string;
  entity_id: string;
  timestamp: string;
  received_timestamp: Generated<string>;
  packet_id: Generated<string>;
  message: Json;
}

interface PacketReceiptTable {
  tenant_id: string;
  entity_id: string;
  message_id: string;
  received_timestamp: Generated<string>;
}

interface PasskeyTable {
  passkey_id: Generated<string>;
  person_id: string;
  credential_id: Buffer;
  public_key: Buffer;
  sign_count: number;
  transports: Generated<string[]>;
  backed_up: boolean;
  name: string;
  created: Generated<string>;
  last_used: string | null;
}

interface PasskeyChallengeTable {
  challenge: string;
  page: string;
  expires_on: string;
}

interface PendingDeviceTable {
  pending_device_id: Generated<string>;
  tenant_id: string;
  machine_name: string;
  operating_system: string;
  architecture: string;
  ip_address: string | null;
  machine_key: string;
  device_id: string | null;
  created: Generated<string>;
  last_ping: Generated<string>;
  modified: Generated<string>;
}

interface PermissionSetTable {
  permission_set_id: Generated<string>;
  tenant_id: string | null;
  name: string;
  description: string | null;
  permissions: Json;
  created: Generated<string>;
  modified: Generated<string>;
  version: Generated<number>;
}

interface PersonTable {
  person_id: Generated<string>;
  issuer: string | null;
  subject: string | null;
  name: string;
  user_name: string;
  email: string | null;
  email_verified: Generated<boolean>;
  picture: string | null;
  claims: Generated<string[]>;
  enabled: Generated<boolean>;
  context_tenant_id: string | null;
  context_subscription_id: string | null;
  last_sign_in: string | null;
  created: Generated<string>;
  modified: Generated<string>;
  version: Generated<number>;
}

interface ProtocolTable {
  protocol_id: Generated<string>;
  tenant_id: string | null;
  name: string;
  description: string | null;
  timer_inverval: Generated<number>;
  manual_actions: string | null;
  created: Generated<string>;
  modified: Generated<string>;
  modified_by: string;
  version: Generated<number>;
}

interface ProtocolActionTable {
  protocol_action_id: Generated<string>;
  protocol_id: string;
  tenant_id: string | null;
  action_definition_id: string;
  work_unit_event_type_id: number;
  parameters: Generated<string>;
  sequence: Generated<number>;
  summary: string | null;
  run_automatically: Generated<boolean>;
  repeatable: Generated<boolean>;
  created: Generated<string>;
  created_by: string;
  modified: Generated<string>;
  modified_by: string;
  version: Generated<number>;
}

interface ProtocolRunTable {
  event_id: string;
  tenant_id: string;
  work_unit_id: number;
  protocol_id: string;
  work_unit_event_type_id: number;
  steps: string[];
  detail: Generated<Json>;
  correlation_id: string;
  hops: Generated<number>;
  created: Generated<string>;
  looked: Generated<string>;
}

interface RepeatableAnswerTable {
  request_key: Buffer;
  request_hash: Buffer;
  answer: Buffer | null;
  created: Generated<string>;
}

interface ResolutionCenterWorkUnitTable {
  work_unit_id: number | null;
  public_work_unit_id: number | null;
  tenant_id: string | null;
  title: string | null;
  description: string | null;
  reference_url: string | null;
  state_id: string | null;
  status: string | null;
  resolution: string | null;
  work_unit_type_id: number | null;
  work_unit_category_id: string | null;
  work_unit_subcategory_id: string | null;
  service: string | null;
  need: string | null;
  stake_holder_full_name: string | null;
  stake_holder_phone_number: string | null;
  stake_holder_email_address: string | null;
  stake_holder_experience_score: string | null;
  stake_holder_email_key: string | null;
  created: string | null;
  created_by: string | null;
  modified: string | null;
  resolved: string | null;
  version: number | null;
}

interface RevokedTokenTable {
  revoked_id: string;
  expires_on: string;
}

interface RuleTable {
  rule_id: Generated<string>;
  tenant_id: string;
  subscription_id: string | null;
  name: string;
  enabled: Generated<boolean>;
  description: string | null;
  rule_type_id: number;
  color: string | null;
  match_lifetime: Generated<number>;
  use_sliding_expiration: Generated<boolean>;
  time_conditions: JSONColumnType<object | null>;
  conditions: Json;
  match_actions: Generated<Json>;
  expiration_actions: Generated<Json>;
  protocol_id: string | null;
  created: Generated<string>;
  modified: Generated<string>;
  version: Generated<number>;
  evaluation_failure: string | null;
  evaluation_failed: string | null;
}

interface RuleCountTable {
  tenant_id: string;
  rule_id: string;
  subject_id: string;
  key: string;
  step: number;
  count: number;
  sum: number;
  min: number;
  max: number;
  merged: Generated<boolean>;
}

interface RuleEvaluationTable {
  tenant_id: string;
  rule_id: string;
  subject_id: string;
  at: Generated<string>;
  packet_timestamp: string | null;
  outcome: string;
  rule_match_id: string | null;
  detail: JSONColumnType<object | null>;
  correlation_id: string;
}

interface RuleMatchTable {
  rule_match_id: Generated<string>;
  tenant_id: string;
  rule_id: string;
  subject_id: string;
  label: string;
  created: Generated<string>;
  expires: string;
  closed: string | null;
  match_count: Generated<number>;
  first_match: string;
  last_match: string;
  in_maintenance: Generated<boolean>;
  completion_processed: Generated<boolean>;
  rule_packet: Generated<Json>;
  correlation_id: string;
  modified: Generated<string>;
  version: Generated<number>;
  hops: Generated<number>;
}

interface RuleMemoryTable {
  subject_id: string;
  tenant_id: string;
  at: string;
  state: JSONColumnType<object | null>;
}

interface RuleReceiptTable {
  event_id: string;
  tenant_id: string;
  created: Generated<string>;
}

interface ScheduleTable {
  name: string;
  next_run: Generated<string>;
  last_run: string | null;
  last_error: string | null;
}

interface SettingTable {
  name: string;
  value: Json;
}

interface SignInAttemptTable {
  attempt_key: Buffer;
  attempts: number;
  last_attempt: Generated<string>;
}

interface SignInPasswordTable {
  person_id: string;
  password_hash: string;
  changed: Generated<string>;
}

interface SubscriptionTable {
  subscription_id: Generated<string>;
  tenant_id: string;
  name: string;
  created: Generated<string>;
  modified: Generated<string>;
  version: Generated<number>;
}

interface TenantTable {
  tenant_id: Generated<string>;
  name: string;
  internal_notification_email_address: string | null;
  assignment_groups: string | null;
  enabled: Generated<boolean>;
  work_unit_field_def1: JSONColumnType<object | null>;
  work_unit_field_def2: JSONColumnType<object | null>;
  work_unit_field_def3: JSONColumnType<object | null>;
  work_unit_field_def4: JSONColumnType<object | null>;
  work_unit_field_def5: JSONColumnType<object | null>;
  work_unit_field_def6: JSONColumnType<object | null>;
  work_unit_field_def7: JSONColumnType<object | null>;
  work_unit_field_def8: JSONColumnType<object | null>;
  work_unit_field_def9: JSONColumnType<object | null>;
  work_unit_field_def10: JSONColumnType<object | null>;
  work_unit_field_def11: JSONColumnType<object | null>;
  work_unit_field_def12: JSONColumnType<object | null>;
  work_unit_field_def13: JSONColumnType<object | null>;
  work_unit_field_def14: JSONColumnType<object | null>;
  work_unit_field_def15: JSONColumnType<object | null>;
  created: Generated<string>;
  modified: Generated<string>;
  version: Generated<number>;
  work_unit_field1: string | null;
  work_unit_field2: string | null;
  work_unit_field3: string | null;
  work_unit_field4: string | null;
  work_unit_field5: string | null;
  work_unit_field6: string | null;
  work_unit_field7: string | null;
  work_unit_field8: string | null;
  work_unit_field9: string | null;
  work_unit_field10: string | null;
  work_unit_field11: string | null;
  work_unit_field12: string | null;
  work_unit_field13: string | null;
  work_unit_field14: string | null;
  work_unit_field15: string | null;
}

interface TenantSecretTable {
  id: Generated<string>;
  tenant_id: string;
  name: string;
  latest_version: Generated<number>;
  created: Generated<string>;
  modified: Generated<string>;
  version: Generated<number>;
}

interface TenantSecretVersionTable {
  tenant_secret_id: string;
  secret_version: number;
  tenant_id: string;
  envelope: Json;
  created: Generated<string>;
  created_by: string;
}

interface TokenGrantTable {
  token_grant_id: Generated<string>;
  tenant_id: string | null;
  name: string;
  description: string | null;
  token_hash: Buffer;
  token_hint: string;
  scopes: Generated<Json>;
  permission_set_id: string | null;
  lifetime_years: Generated<number>;
  expires_on: string | null;
  revoked_on: string | null;
  last_used: string | null;
  created: Generated<string>;
  version: Generated<number>;
}

interface WorkUnitTable {
  work_unit_id: Generated<number>;
  public_work_unit_id: Generated<number>;
  internal_work_unit_id: string | null;
  tenant_id: string;
  title: string;
  description: string | null;
  resolution: string | null;
  severity_id: Generated<string>;
  state_id: Generated<string>;
  assigned_to: string | null;
  assignment_group: string | null;
  source: string | null;
  category: string | null;
  protocol_id: string | null;
  work_unit_type_id: number;
  work_unit_category_id: string | null;
  work_unit_subcategory_id: string | null;
  effort: number | null;
  reference_id: string | null;
  reference_url: string | null;
  stake_holder_full_name: string | null;
  stake_holder_phone_number: string | null;
  stake_holder_email_address: string | null;
  stake_holder_experience_score: string | null;
  is_spam_call: Generated<boolean>;
  properties: string | null;
  custom_value1: string | null;
  custom_value2: string | null;
  custom_value3: string | null;
  custom_value4: string | null;
  custom_value5: string | null;
  custom_value6: string | null;
  custom_value7: string | null;
  custom_value8: string | null;
  custom_value9: string | null;
  custom_value10: string | null;
  custom_value11: string | null;
  custom_value12: string | null;
  custom_value13: string | null;
  custom_value14: string | null;
  custom_value15: string | null;
  implementation_plan: string | null;
  rollback_plan: string | null;
  affected_resources: string | null;
  security_considerations: string | null;
  user_impact: string | null;
  cost_impact: string | null;
  environment: string | null;
  expected_cfs_alerts: string | null;
  planned_start_time: string | null;
  planned_finish_time: string | null;
  requested_change_window: string | null;
  implementer: string | null;
  approver1: string | null;
  approver2: string | null;
  is_approver_required: Generated<boolean>;
  planned_outage: boolean | null;
  approved1_by: string | null;
  approved2_by: string | null;
  declined1_by: string | null;
  declined2_by: string | null;
  decision1_notes: string | null;
  decision2_notes: string | null;
  created: Generated<string>;
  created_by: string;
  modified: Generated<string>;
  modified_by: string;
  resolved: string | null;
  opened_by_rule_match_id: string | null;
  version: Generated<number>;
  stake_holder_email_key: string | null;
  search_text: string;
}

interface WorkUnitCategoryTable {
  work_unit_category_id: Generated<string>;
  tenant_id: string;
  work_unit_type_id: number;
  name: string;
  is_enabled: Generated<boolean>;
  is_visible_in_resolution_center: Generated<boolean>;
  created: Generated<string>;
  modified: Generated<string>;
  version: Generated<number>;
}

interface WorkUnitCommunicationTable {
  work_unit_communication_id: Generated<number>;
  public_work_unit_communication_id: Generated<number>;
  tenant_id: string;
  title: string;
  service_manager: string | null;
  status: Generated<string>;
  details: string | null;
  customer_assistance_required: Generated<boolean>;
  root_cause: string | null;
  event_started: string | null;
  event_engaged: string | null;
  event_mitigated: string | null;
  event_resolved: string | null;
  next_update: string | null;
  next_internal_update: string | null;
  maximum_impact: string | null;
  current_impact: string | null;
  impacted_services: string | null;
  internal_bridge: string | null;
  created: Generated<string>;
  created_by: string;
  modified: Generated<string>;
  user_changed: Generated<string>;
  user_changed_by: string;
  version: Generated<number>;
}

interface WorkUnitCommunicationActivityTable {
  work_unit_communication_activity_id: Generated<number>;
  work_unit_communication_id: number;
  tenant_id: string;
  activity_type: string;
  details: string;
  is_customer_facing: Generated<boolean>;
  is_complete: Generated<boolean>;
  completed: string | null;
  created: Generated<string>;
  created_by: string;
  modified: Generated<string>;
  version: Generated<number>;
}

interface WorkUnitNoteTable {
  work_unit_note_id: Generated<number>;
  work_unit_id: number;
  tenant_id: string;
  detail: string;
  is_external_note: Generated<boolean>;
  history_type: string | null;
  history_url: string | null;
  field: string | null;
  old_value: string | null;
  new_value: string | null;
  created: Generated<string>;
  created_by: string;
  correlation_id: string;
}

interface WorkUnitPresenceTable {
  work_unit_id: number;
  actor_id: string;
  page_id: string;
  tenant_id: string;
  name: string;
  user_name: string;
  state: string;
  since: Generated<string>;
  until: string;
}

interface WorkUnitRelationTable {
  work_unit_relation_id: Generated<number>;
  work_unit_id: number;
  tenant_id: string;
  reference_type: string;
  reference_id: string;
  communication_id: number | null;
  created: Generated<string>;
  created_by: string;
  version: Generated<number>;
}

interface WorkUnitSubcategoryTable {
  work_unit_subcategory_id: Generated<string>;
  work_unit_category_id: string;
  tenant_id: string;
  name: string;
  is_enabled: Generated<boolean>;
  created: Generated<string>;
  modified: Generated<string>;
  version: Generated<number>;
}

interface WorkUnitTimerTable {
  work_unit_id: number;
  tenant_id: string;
  due: string;
  last_due: string | null;
  last_late_ms: number | null;
}

interface WorkUnitTypeTable {
  work_unit_type_id: number;
  name: string;
}

export interface Tables {
  access_grant: AccessGrantTable;
  action_definition: ActionDefinitionTable;
  action_history: ActionHistoryTable;
  audit: AuditTable;
  backtest_run: BacktestRunTable;
  block: BlockTable;
  block_log: BlockLogTable;
  call_limit: CallLimitTable;
  change: ChangeTable;
  communication_notification: CommunicationNotificationTable;
  communication_work_unit: CommunicationWorkUnitTable;
  compliance_report: ComplianceReportTable;
  control: ControlTable;
  control_set: ControlSetTable;
  control_status: ControlStatusTable;
  destination: DestinationTable;
  device: DeviceTable;
  device_installation: DeviceInstallationTable;
  device_log: DeviceLogTable;
  device_operation: DeviceOperationTable;
  external_note: ExternalNoteTable;
  feature: FeatureTable;
  identity_item: IdentityItemTable;
  installation_gap: InstallationGapTable;
  installation_pulse: InstallationPulseTable;
  job: JobTable;
  latest_packet: LatestPacketTable;
  location: LocationTable;
  migration: MigrationTable;
  one_time_link: OneTimeLinkTable;
  operation: OperationTable;
  outbox_message: OutboxMessageTable;
  package: PackageTable;
  package_version: PackageVersionTable;
  packet: PacketTable;
  packet_receipt: PacketReceiptTable;
  passkey: PasskeyTable;
  passkey_challenge: PasskeyChallengeTable;
  pending_device: PendingDeviceTable;
  permission_set: PermissionSetTable;
  person: PersonTable;
  protocol: ProtocolTable;
  protocol_action: ProtocolActionTable;
  protocol_run: ProtocolRunTable;
  repeatable_answer: RepeatableAnswerTable;
  resolution_center_work_unit: ResolutionCenterWorkUnitTable;
  revoked_token: RevokedTokenTable;
  rule: RuleTable;
  rule_count: RuleCountTable;
  rule_evaluation: RuleEvaluationTable;
  rule_match: RuleMatchTable;
  rule_memory: RuleMemoryTable;
  rule_receipt: RuleReceiptTable;
  schedule: ScheduleTable;
  setting: SettingTable;
  sign_in_attempt: SignInAttemptTable;
  sign_in_password: SignInPasswordTable;
  subscription: SubscriptionTable;
  tenant: TenantTable;
  tenant_secret: TenantSecretTable;
  tenant_secret_version: TenantSecretVersionTable;
  token_grant: TokenGrantTable;
  work_unit: WorkUnitTable;
  work_unit_category: WorkUnitCategoryTable;
  work_unit_communication: WorkUnitCommunicationTable;
  work_unit_communication_activity: WorkUnitCommunicationActivityTable;
  work_unit_note: WorkUnitNoteTable;
  work_unit_presence: WorkUnitPresenceTable;
  work_unit_relation: WorkUnitRelationTable;
  work_unit_subcategory: WorkUnitSubcategoryTable;
  work_unit_timer: WorkUnitTimerTable;
  work_unit_type: WorkUnitTypeTable;
}
