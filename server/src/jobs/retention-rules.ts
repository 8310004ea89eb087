/**
 * How long the rows of each table are kept, or what limits their number. `retention.ts` deletes by these rules; a test checks
 * that each table of the database has a rule.
 */

/** Days that rows are kept, by setting. */
export interface RetentionDays {
  packets: number;
  records: number;
  audit: number;
  seriesHours: number;
  seriesDays: number;
}

/** `at`: the column from whose time the age of a row counts. `where`: the rows to which the rule applies, by default all. */
interface SweptTable {
  after: { days: number } | { hours: number } | { setting: keyof RetentionDays };
  at: string;
  where?: string;
}

/** What limits the number of rows of a table that is not swept by these rules. */
interface BoundedTable {
  bound: string;
}

export type RetentionRule = SweptTable | BoundedTable;

export const retentionSettings: Record<keyof RetentionDays, string> = {
  packets: 'PACKET_RETENTION_DAYS',
  records: 'RECORD_RETENTION_DAYS',
  audit: 'AUDIT_RETENTION_DAYS',
  seriesHours: 'SERIES_HOUR_RETENTION_DAYS',
  seriesDays: 'SERIES_DAY_RETENTION_DAYS',
};

const untilDeleted: BoundedTable = { bound: 'as many as people make, until they delete them' };
const withOwner: BoundedTable = { bound: 'as long as what they belong to' };
const perEntity: BoundedTable = { bound: 'one of each device, block and operation' };
const ofSignIn: BoundedTable = { bound: 'until they expire; swept by the sign-in' };
const fixed: BoundedTable = { bound: 'a fixed number' };
const untilDone: BoundedTable = { bound: 'until they are done' };

/** The rule of each table. */
export const retentionRules: Readonly<Record<string, RetentionRule>> = {
  packet: { bound: '`PACKET_RETENTION_DAYS`; partitions by day, dropped when nobody reads them' },
  series_minute: { bound: '`SERIES_MINUTE_RETENTION_DAYS`; partitions by day, dropped when nobody reads them' },
  series_hour: { after: { setting: 'seriesHours' }, at: 'page' },
  series_day: { after: { setting: 'seriesDays' }, at: 'page' },
  series_limited: { after: { setting: 'seriesDays' }, at: 'month' },
  version_day: { after: { setting: 'seriesDays' }, at: 'day' },
  device_log: { after: { setting: 'packets' }, at: 'created' },

  rule_match: { after: { setting: 'records' }, at: 'created', where: "completion_processed and expires < now() - interval '1 day'" },
  rule_evaluation: { after: { setting: 'records' }, at: 'at' },
  stale_count: { after: { setting: 'records' }, at: 'hour' },
  // Only finished executions: status 3 is queued.
  action_history: { after: { setting: 'records' }, at: 'action_processed', where: 'result_status_id <> 3' },
  action_try: { bound: 'with their execution' },
  block_log: { after: { setting: 'records' }, at: 'created' },
  installation_gap: { after: { setting: 'records' }, at: 'gap_end' },
  audit: { after: { setting: 'audit' }, at: 'at' },

  // Only for counting each person once a day.
  knowledge_use: { after: { days: 3 }, at: 'day' },
  operation_run: { after: { days: 14 }, at: 'created', where: 'ended is not null' },
  inbox_item: { after: { days: 90 }, at: 'created' },
  notification: { after: { setting: 'records' }, at: 'created' },
  planned_step: { after: { setting: 'records' }, at: 'ended', where: 'ended is not null' },
  maintenance_window: { after: { days: 400 }, at: 'ends_at' },
  status_maintenance_told: { after: { days: 400 }, at: 'ends_at' },
  on_call_handover: { after: { days: 400 }, at: 'handed_at' },
  on_call_override: { after: { days: 400 }, at: 'ends_at' },
  match_group: { after: { setting: 'records' }, at: 'ended', where: 'ended is not null' },
  // Only members that never joined a group: the others are deleted with their group.
  match_group_member: { after: { setting: 'records' }, at: 'created', where: 'match_group_id is null' },
  communication_mail: { after: { setting: 'records' }, at: 'created' },
  recent_writer: { after: { hours: 1 }, at: 'until' },
  message_turn: { after: { hours: 1 }, at: 'taken' },
  waiting_mail: { after: { days: 8 }, at: 'created' },
  rule_unit: { after: { days: 400 }, at: 'modified' },
  campaign: { after: { days: 90 }, at: 'ended', where: 'ended is not null' },
  job: { after: { days: 90 }, at: 'dead_at', where: 'dead_at is not null' },
  pending_device: { after: { days: 30 }, at: 'last_ping', where: 'device_id is null' },
  rule_memory: { after: { days: 90 }, at: 'at' },
  invitation: { after: { days: 30 }, at: 'expires_on' },
  one_time_link: { after: { days: 30 }, at: 'expires_on' },
  rule_receipt: { after: { days: 8 }, at: 'created' },
  packet_receipt: { after: { days: 8 }, at: 'received_timestamp' },
  backtest_run: { after: { days: 7 }, at: 'created' },
  repeatable_answer: { after: { hours: 24 }, at: 'created' },
  change: { after: { hours: 1 }, at: 'at' },
  call_limit: { after: { hours: 1 }, at: 'last_call' },
  work_unit_presence: { after: { hours: 0 }, at: 'until' },
  // Links of users of chats whom nobody has connected; the others are deleted by their people.
  chat_account: { after: { hours: 1 }, at: 'expires', where: 'person_id is null' },
  revoked_token: { after: { hours: 0 }, at: 'expires_on' },
  see_as: { after: { hours: 0 }, at: 'expires' },
  uninstall_order: { after: { hours: 0 }, at: 'until' },
  used_assertion: { after: { hours: 0 }, at: 'expires_on' },
  outbox_message: { bound: '7 days; then they count as failed' },

  worker: { bound: 'one of each running worker' },
  server_process: { bound: 'one of each running process' },
  latest_packet: perEntity,
  destination: { bound: 'until the receiver answers; one of each tenant and receiver' },
  series_due: untilDone,
  policy_check: untilDone,
  silence_over: untilDone,
  protocol_run: untilDone,
  unit_watch: { bound: 'while matches of the ended work unit are open' },
  work_unit_timer: untilDone,
  answer_watch: untilDone,
  counted_group: { bound: 'locations, device types and values of tags' },
  rule_count: { bound: 'the longest window of its rule' },
  identity_item: ofSignIn,
  sign_in_attempt: ofSignIn,
  sign_in_device: { bound: '400 days since the last sign-in; swept by the sign-in' },
  sign_in_network: { bound: '400 days since the last sign-in; swept by the sign-in' },
  passkey_challenge: ofSignIn,

  communication_update: withOwner,
  campaign_device: withOwner,
  selection_member: withOwner,
  policy_item: withOwner,
  policy_exception: withOwner,
  control_evidence: withOwner,
  status_subscriber: { bound: '2,000 of each page' },
  status_told: withOwner,
  rule_rollout: withOwner,
  policy_rollout: withOwner,
  control_status: withOwner,
  device_installation: withOwner,
  package_version: withOwner,
  passkey: withOwner,
  person_photo: withOwner,
  notification_preference: withOwner,
  person_feed: { bound: '20 of each person' },
  push_subscription: { bound: '20 of each person' },
  totp: withOwner,
  recovery_code: withOwner,
  protocol_action: withOwner,
  sign_in_password: withOwner,
  tenant_secret_version: withOwner,
  work_unit_communication: withOwner,
  work_unit_communication_activity: withOwner,
  communication_shown: withOwner,
  communication_notification: withOwner,
  communication_reminder: withOwner,
  work_unit_note: withOwner,
  work_unit_text: withOwner,
  work_unit_clock: withOwner,
  work_unit_text_todo: { bound: 'rows of ranges, until the search has their work units' },
  search_word: { bound: 'while a searched text has the word' },
  work_unit_key: withOwner,
  work_unit_watcher: withOwner,
  work_unit_seen: withOwner,
  call_back: withOwner,
  work_unit_file: withOwner,
  work_unit_merge: withOwner,
  work_unit_relation: withOwner,
  maintenance_window_device: withOwner,
  maintenance_window_left: withOwner,

  managed_row: { bound: 'the rows of the folders that were applied' },
  access_grant: untilDeleted,
  directory: untilDeleted,
  directory_secret: withOwner,
  directory_group: { bound: 'as many as the directory has, at most 10,000 of each' },
  directory_member: withOwner,
  provisioned_person: { bound: 'as many as the directory has, at most 100,000 of each' },
  action_definition: untilDeleted,
  block: untilDeleted,
  control: untilDeleted,
  compliance_sign_off: untilDeleted,
  control_set: untilDeleted,
  dashboard: untilDeleted,
  dashboard_link: { after: { days: 90 }, at: 'expires' },
  status_page: untilDeleted,
  device: untilDeleted,
  device_operation: untilDeleted,
  location: untilDeleted,
  mib: untilDeleted,
  service_level: untilDeleted,
  working_calendar: untilDeleted,
  on_call_schedule: untilDeleted,
  operation: untilDeleted,
  package: untilDeleted,
  publisher: untilDeleted,
  permission_set: untilDeleted,
  person: untilDeleted,
  protocol: untilDeleted,
  report_schedule: untilDeleted,
  rule: untilDeleted,
  saved_view: untilDeleted,
  subscription: untilDeleted,
  tenant: untilDeleted,
  rule_exception: untilDeleted,
  tenant_group: untilDeleted,
  customer_template: untilDeleted,
  offboarding: { bound: 'one of each customer that ended; it is the proof of the deletion' },
  tenant_secret: untilDeleted,
  token_grant: untilDeleted,
  work_unit: untilDeleted,
  rows_of_work_unit: { bound: 'a few for each tenant and state, which are added up' },
  work_unit_day: { bound: 'a few for each tenant and day on which work units were opened' },
  work_unit_month: { bound: 'a few for each tenant and month in which work units were opened' },
  work_unit_month_total: { bound: 'a few for each month in which work units were opened' },
  work_unit_month_total_due: { bound: 'months whose days have changed, until they are added up again' },
  work_unit_day_due: { bound: 'days whose work units have changed, until they are counted again' },
  work_unit_category: untilDeleted,
  work_unit_subcategory: untilDeleted,
  change_freeze: untilDeleted,
  knowledge_article: untilDeleted,
  knowledge_article_version: withOwner,
  knowledge_article_use: withOwner,
  knowledge_word: withOwner,
  communication_contact: untilDeleted,
  communication_template: untilDeleted,
  event_subscription: untilDeleted,
  event_delivery: { after: { days: 30 }, at: 'occurred' },
  service_call: { after: { days: 30 }, at: 'received' },
  unit_link: withOwner,
  intake_source: untilDeleted,
  mailbox: untilDeleted,
  // One that waits is a person's to decide, and one that was taken in is known as long as its unit.
  mailbox_mail: {
    after: { setting: 'records' },
    at: 'received',
    where: "outcome <> 'Held' and (outcome = 'Refused' or work_unit_id is null)",
  },
  unit_mail: withOwner,
  source_entity: withOwner,
  source_refusal: { bound: 'the last reason of each kind, for each source' },
  device_selection: untilDeleted,
  device_policy: untilDeleted,

  feature: fixed,
  selection_watch: fixed,
  installation_pulse: fixed,
  server_pulse: fixed,
  stream_partition: fixed,
  stream_process: fixed,
  migration: fixed,
  schedule: fixed,
  series_state: fixed,
  setting: fixed,
  work_unit_type: fixed,
};

function lengthOf(rule: RetentionRule): string {
  if ('bound' in rule) return rule.bound;
  const { after } = rule;
  if ('setting' in after) return `\`${retentionSettings[after.setting]}\``;
  if ('hours' in after) return after.hours === 0 ? 'until they expire' : `${after.hours} h`;
  return `${after.days} days`;
}

const about: Readonly<Record<string, string>> = {
  audit: 'with the rest of their quarter',
  rule_evaluation: 'with the rest of their month',
  device_log: 'with the rest of their week',
  rule_match: 'those that are over',
  action_history: 'those with an outcome',
  operation_run: 'those that are over',
  campaign: 'those that are over',
  planned_step: 'those that are over',
  mailbox_mail: 'those that were refused',
  chat_account: 'links that nobody used; the others until their people end them',
  job: 'dead letters; the others until they are done',
  pending_device: 'those that were not promoted, since their last ping',
};

/** The table in docs/OPERATIONS.md: tables with the same rule share a line. */
export function retentionTable(): string {
  const lines = Map.groupBy(Object.entries(retentionRules), ([name, rule]) => `${lengthOf(rule)}${about[name] ? ` (${about[name]})` : ''}`);
  const rows = [...lines].map(([length, entries]) => `| ${entries.map(([name]) => `\`${name}\``).join(', ')} | ${length} |`);
  return ['| tables | how long |', '| --- | --- |', ...rows].join('\n');
}
