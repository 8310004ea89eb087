/** Folders whose statements may be built at run time, with the reason; constant statements in these folders are checked. */
export const engine: Readonly<Record<string, string>> = {
  'server/src/query/': 'builds the parts of these statements',
  'server/src/resources/':
    'builds statements from the declarations of entities, which registerServed compares with the schema at each start',
};

/** Files that are not checked, each with the reason. */
export const exempt: Readonly<Record<string, string>> = {
  'server/src/features/tenancy/offboarding/offboarding.test.ts': 'fills and reads every table of tenants that the catalogue names',
  'server/src/db/connection.ts': 'sends the statements of all others',
  'server/src/db/read-only.ts': 'sends the statements of all others',
  'server/src/db/standby/log-position.ts': 'sends the statements of its callers',
  'server/src/db/standby/reader.ts': 'sends the statements of all others',
  'server/src/db/standby/reader.test.ts': 'has statements that nobody runs',
  'server/src/http/standby-reads.ts': 'passes the statements of all others on',
  'server/src/http/standby-reads.test.ts': 'has statements that nobody runs',
  'server/src/db/migrate.ts': 'runs the migrations',
  'server/src/db/migrate.test.ts': 'runs a part of a migration',
  'server/src/automation/units/look-back.test.ts': 'runs a migration',
  'server/src/jobs/retention.test.ts': 'fills and reads the tables of a list',
  'server/src/jobs/retention.ts': 'sweeps the tables of a list, which its test runs on the migrated schema',
  'server/src/db/backup.ts': 'copies every table that the catalogue names',
  'server/src/db/listener.ts': 'listens and holds locks by names that its callers choose',
  'server/src/db/partitions.ts': 'drops partitions whose names the catalogue gives',
  'server/src/db/spans.ts': 'changes partitions whose names the catalogue gives; server/src/jobs/spans.test.ts runs every statement',
  'server/src/jobs/spans.test.ts': 'fills and reads the tables of a list',
  'server/src/db/snapshot.ts': 'sends the statements of others in a snapshot',
  'server/src/db/tenant-rows.ts': 'reads and deletes the rows of a tenant in every table that the catalogue names',
  'server/src/db/digest.ts': 'reads every table that the catalogue names',
  'server/src/http/below-row/navigation.ts': 'follows the relations of declarations',
  'server/src/rules/impact/impact-group.ts': 'lists rows by conditions of the files beside it, which are checked there',
  'server/src/db/restore.ts': 'fills every table that the catalogue names',
  'server/src/db/embedded/embedded.test.ts': 'has a table of its own',
  'server/src/db/sql.test.ts': 'writes fragments, which nobody runs',
  'server/src/query/filter.test.ts': 'has tables of its own',
  'server/src/testing/fuzz/fuzz.test.ts': 'writes into every column of every table',
  'server/src/rules/explain/reads.test.ts': 'fills the tables that explanations read',
  'bench/lists/work-units.bench.ts': 'selects the columns of a declaration',
  'server/src/admin/backup.test.ts': 'reads every table that the catalogue names',
  'bench/lists/screens.bench.ts': 'repeats statements of the engine, and makes indexes again by their definitions in the catalogue',
  'server/src/demo/fill.ts': 'runs on temporary functions and tables; fill.test.ts runs every statement',
  'server/src/auth/authenticate.test.ts': 'counts the statements of others',
  'server/src/ingest/alternate.test.ts': 'counts the statements of others',
  'server/src/jobs/schedule-shares.test.ts': 'loses the answers to statements of others',
  'server/src/rules/run/silence/sweep.test.ts': 'counts the statements of others',
  'server/src/features/work-units/create-statements.test.ts': 'counts the statements of others',
  'server/src/http/database-refusals.test.ts': 'sends what PostgreSQL is to refuse',
  'server/src/testing/programs/standby.ts': 'copies the files of a database, and sends commands to its server',
  'server/src/db/login.test.ts': 'sends what PostgreSQL is to refuse',
  'server/src/testing/statements/kept-rows.ts': 'runs on temporary functions and views; the test of periodic work runs every statement',
  'server/src/app/periodic-work.test.ts': 'adds the rows of a list of statements',
  'bench/fleet/growth.bench.ts': 'adds the rows of a list of statements',
  'server/src/features/directories/scim/filter.ts': 'writes conditions of filters that a directory sends; scim.test.ts runs each kind',
  'server/src/features/directories/scim/users.ts': 'lists by conditions of filters; scim.test.ts runs every statement',
  'server/src/features/directories/scim/groups.ts': 'lists by conditions of filters; scim.test.ts runs every statement',
  'server/src/features/directories/directories.action.ts': 'sets columns that its callers name; scim.test.ts runs every statement',
  'server/src/features/configuration/import-row.ts':
    'finds deleted rows by the names of a declaration; restore-kinds.test.ts runs it for each kind',
  'server/src/features/work-units/unit-indexes.test.ts': 'reads the plans of the statements of others',
};

/**
 * By table: entities whose changes stand for its writes, because pages show its rows with these entities
 * (portal/src/entities/live-rules.ts).
 */
export const shownWith: Readonly<Record<string, readonly string[]>> = {
  work_unit_note: ['workUnits', 'actionHistories', 'plannedSteps'],
  action_try: ['actionHistories'],
  operation_run: ['deviceOperations'],
};

/** Writes that need no row of `change`: no field shows them, or the transaction around the function records them. */
export const unseen: Readonly<Record<string, string>> = {
  'server/src/features/tenancy/offboarding/steps.ts offboarding': 'stores the name of the archive, which no field shows',
  'server/src/features/tenancy/offboarding/steps.ts person':
    'disables people, which `recordChange` announces, and forgets the tenant that they had chosen',
  'server/src/features/tenancy/offboarding/steps.ts tenant': 'the end of the offboarding announces that its tenant is deleted',
  'server/src/features/work-units/inbox/digest.ts inbox_item': 'stores when a digest named the item, which no field shows',
  'server/src/automation/notify/call-backs.ts call_back': 'stores when somebody is told next, before the change of the row that counts it',
  'server/src/automation/notify/handover.ts on_call_schedule': 'stores when to look for handovers again',
  'server/src/auth/rotate-master-key.ts event_subscription': 'encrypts secrets again, which no field shows',
  'server/src/automation/order-of-messages.ts action_history': 'stores for which other message an execution waits',
  'server/src/automation/photos/fetch-photos.ts person': 'stores when a photo was fetched, and why it was not used',
  'server/src/automation/units/rule-unit.ts work_unit': 'stores which units share one order of messages',
  'server/src/automation/run-action.job.ts action_history': 'stores placeholders of an execution that its outcome announces',
  'server/src/features/devices/agent/instances.ts pending_device': 'counts polls of processes with one identity',
  'server/src/features/devices/announce.ts device': 'counts what the agent has to read',
  'server/src/features/devices/operations/operation-runs.served.ts operation_run': 'goes with a change of the device operation',
  'server/src/features/directories/scim/claims.ts person': 'stores the groups of people, which no field shows',
  'server/src/auth/directories/follow-directories.ts person': 'stores the groups of people, which no field shows',
  'server/src/features/installation/first-steps.action.ts person': 'stores that the person has dismissed the first steps',
  'server/src/features/packages/packages.served.ts device_operation':
    'goes with a change of the package or operation, on which lists of these rows depend',
  'server/src/features/packages/sign-versions.ts package_version': 'signs versions from before the server had a key, when it starts',
  'server/src/features/protocols/on-call/on-call.action.ts on_call_schedule': 'counts the links of the calendar',
  'server/src/features/protocols/on-call/on-call.served.ts on_call_schedule': 'stores when to look for handovers again',
  'server/src/features/protocols/trigger.action.ts work_unit_note': 'goes with the execution that the person has triggered or rejected',
  'server/src/context/locale.ts person': 'stores the language that the portal shows the person, which no field shows',
  'server/src/features/session/session.action.ts person': 'stores the context of a person for their next visit',
  'server/src/features/tokens/end-notice.ts token_grant': 'stores that the owner was told of the end',
  'server/src/features/views/saved-views.action.ts person': 'stores with which view a list opens for the person',
  'server/src/features/work-units/approvals/approvers.ts work_unit': 'stores who named the approvers, in a change of the unit',
  'server/src/features/work-units/inbox/inbox.action.ts person': 'stores which kinds the person is not told of',
  'server/src/features/work-units/feed/history.ts work_unit_note': 'goes with a change of the unit',
};

/** Writes that fields show and no row of `change` records, so that pages notice them when they read again. */
export const silent: Readonly<Record<string, string>> = {
  job: 'each lease, try and outcome of the queue is a write',
  audit: 'entries come with every change, and nobody follows them',
  device_log: 'agents write many entries at once',
  event_delivery: 'each try is a write, and the log of a subscription reads again every few seconds',
  latest_packet: 'a notification tells pages that a tenant has new packets, at most every two seconds',
  'server/src/auth/people.ts person': 'stores names, groups and the time at each sign-in',
  'server/src/auth/provider/check-sign-in.ts person': 'stores the time of the sign-in',
  'server/src/features/people/photos/photos.ts person': 'lists name photos by their digest when they read again',
  'server/src/intake/counts.ts intake_source': 'counts what sources have sent, every few seconds',
  'server/src/intake/mail/take-mail.ts mailbox': 'counts mails, and how far the mailbox is read',
  'server/src/intake/mail/mails.action.ts mailbox': 'counts mails; the call itself is audited',
  'server/src/intake/mail/leases.ts mailbox': 'renews the lease of the reader, and stores whether the server answers',
  'server/src/auth/token-grants.ts token_grant': 'stores the time of the last use, once a minute',
  'server/src/automation/tries.ts action_try': 'the outcome of the execution announces its tries',
  'server/src/features/devices/agent/known-machine.ts pending_device': 'stores what an agent says when it starts',
  'server/src/features/devices/agent/sign-in.ts pending_device': 'stores time and address of each sign-in of an agent',
  'server/src/rules/run/store-matches.ts rule_match': 'counts repeats of a match, which come with packets',
};
