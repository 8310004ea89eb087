/** Loads one execution, queued or only tested, with everything that its action may refer to. */
import { startOf } from '@cloudfit/contract/one-line.ts';
import { builtInAction, resultStatus } from '@cloudfit/contract/enums.ts';
import { exampleValues } from '@cloudfit/contract/rules/placeholder-examples.ts';
import type { RuleWords } from '@cloudfit/contract/rules/rule-words.ts';
import type { Trace } from '@cloudfit/contract/rules/evaluate/evaluate.ts';
import { localeOf } from '../context/locale.ts';
import { readerOf, type TextReader } from '../platform/language.ts';
import { englishWords, ruleWordsFor } from '../platform/rule-words.ts';
import { onlyRecipient, personRecipient, type AckLinks } from '../platform/ack-links.ts';
import type { Db } from '../db/db.ts';
import { ackPlace, isPlain, plainText } from '../executions/channel-addresses.ts';
import type { TestedAction, TestedRow } from '../features/actions/tested.ts';
import type { StepEnd } from './protocols/protocol-timeline.ts';
import {
  matchFacts,
  ruleColumns,
  subjectColumns,
  subjectJoins,
  unitOfSubject,
  type MatchedPacket,
  type RuleOfMatch,
  type MatchSubject,
  otherLines,
} from './match-facts.ts';
import { wasEndNotified, openUnitOf } from './units/rule-unit.ts';
import type { QueuedExecution, Recurrence, WhileMatching } from './execution.ts';
import { groupColumn, groupJoins, groupValues, summaryValues, type GroupOfMatch, type GroupSummary } from './groups/group-of-match.ts';
import { newFiller, type PlaceholderValues } from './placeholders.ts';
import { readerOfMail, withCause } from './reader-values.ts';
import { unitColumns, unitValues, withNames, zulu, type NamedUnit, type PlaceholderUnit } from './unit-values.ts';
import type { Phase } from '../executions/execution-id.ts';
import { first, mayHaveEarlier, order, type PlaceInOrder } from './order-of-messages.ts';

interface ExecutionRow {
  message_id: string;
  tenant_id: string;
  correlation_id: string;
  result_status_id: number;
  work_unit_id: number | null;
  input_parameters: string;
  result_detail: {
    phase?: Phase;
    test?: boolean;
    about?: TestedRow;
    hops?: number;
    ends?: StepEnd;
    replayOf?: string;
    personId?: string;
    /** False for a message to somebody who may not acknowledge the unit. */
    mayAcknowledge?: boolean;
    endedUnitId?: number;
    reminder?: boolean;
    /** The units of a summary to one person, each of which has a link that acknowledges. */
    ackUnits?: number[];
    summary?: GroupSummary;
  } | null;
  match_group: GroupOfMatch | null;
  definition: {
    action_definition_id: string;
    tenant_id: string | null;
    name: string;
    action_definition_type_id: number;
    endpoint_url: string | null;
    http_method: string | null;
    headers: string | null;
    body: string | null;
    input_parameters: string | null;
    success_statuses: string | null;
    success_text: string | null;
    success_field: string | null;
    success_value: string | null;
    reference_field: string | null;
    reference_address: string | null;
    look_back_address: string | null;
  } | null;
  match: {
    rule_match_id: string;
    rule_id: string;
    subject_id: string;
    label: string;
    match_count: number;
    first_match: string;
    last_match: string;
    created: string;
    expires: string;
    closed: string | null;
    rule_packet: MatchedPacket;
    work_unit_id: number | null;
    is_repeat: boolean;
  } | null;
  subject: MatchSubject | null;
  rule: RuleOfMatch | null;
  rule_protocol_id: string | null;
  /** The severity that Create Work Unit of the rule gives. */
  rule_severity_id: string | null;
  recurrence: Recurrence | null;
  reopen_hours: number | null;
  while_matching: WhileMatching | null;
  open_work_unit_id: number | null;
  is_end_notified: boolean;
  trace: Trace | null;
  tenant_name: string;
  tenant_email: string | null;
  work_unit: PlaceholderUnit | null;
  may_have_earlier: boolean | null;
}

/** Selects the execution in `row`: `action_history`, or a subquery with its columns. `isEarlier`: the SQL of `may_have_earlier`. */
const loadFrom = (
  row: string,
  isEarlier: string,
): string => `select h.message_id, h.tenant_id, h.correlation_id, h.result_status_id, h.input_parameters, h.result_detail,
  to_jsonb(d) as definition, to_jsonb(m) as match, case when m.rule_match_id is not null then ${subjectColumns('m.subject_id', 'r.rule_type_id')} end as subject,
  case when r.rule_id is not null then ${ruleColumns('r')} end as rule,
  r.protocol_id as rule_protocol_id,
  coalesce(m.severity_id, jsonb_path_query_first(r.match_actions, '$[*] ? (@.ActionDefinitionId == "${builtInAction.createWorkUnit}").Parameters.SeverityId') #>> '{}') as rule_severity_id,
  r.recurrence, r.reopen_hours, r.while_matching, ${openUnitOf('m', 'r', 'mg')} as open_work_unit_id,
  ${wasEndNotified('m', 'r', 'mg')} as is_end_notified,
  (select e.detail from rule_evaluation e where e.correlation_id = m.correlation_id and e.rule_match_id = m.rule_match_id and e.outcome <> 'miss' limit 1) as trace,
  t.name as tenant_name, t.internal_notification_email_address as tenant_email,
  ${groupColumn} as match_group,
  ${isEarlier} as may_have_earlier, h.work_unit_id, case when w.work_unit_id is not null then ${unitColumns('w')} end as work_unit
from ${row} h
join tenant t on t.tenant_id = h.tenant_id
left join action_definition d on d.action_definition_id = h.action_definition_id and (d.tenant_id is null or d.tenant_id = h.tenant_id)
left join work_unit u on u.tenant_id = h.tenant_id and u.work_unit_id = coalesce(h.work_unit_id, (h.result_detail #>> '{about,workUnitId}')::bigint)
left join rule_match m on m.tenant_id = h.tenant_id and m.rule_match_id = coalesce(
  case when h.reference_id ~ '^[0-9a-f-]{36}$' then h.reference_id::uuid end, (h.result_detail #>> '{about,ruleMatchId}')::uuid,
  (select o.reference_id::uuid from action_history o where o.message_id = u.opened_by_rule_match_id and o.reference_id ~ '^[0-9a-f-]{36}$'), u.opened_by_rule_match_id)
left join rule r on r.rule_id = m.rule_id
${groupJoins}
${subjectJoins('m.subject_id')}
left join work_unit w on w.tenant_id = h.tenant_id
  and w.work_unit_id = coalesce(u.work_unit_id, m.work_unit_id, (select o.work_unit_id from work_unit o where o.opened_by_rule_match_id = m.rule_match_id), ${unitOfSubject('m.subject_id')})`;

const load = `${loadFrom('action_history', mayHaveEarlier)} where h.message_id = $1`;

// To plan the many joins takes ten times as long as to run them. PostgreSQL would plan them for each of the first five executions of
// a connection; the plan is the same for every execution.
const planOnce = 'set local plan_cache_mode = force_generic_plan';

/** Selects a test of an action, with the columns that its row would have if it was written. */
const loadTested = loadFrom(
  `(select $1::uuid as message_id, $2::uuid as tenant_id, $3::uuid as action_definition_id, $4::text as input_parameters,
  $5::jsonb as result_detail, $1::uuid as correlation_id, ${resultStatus.enqueueSuccess} as result_status_id, null::bigint as work_unit_id,
  null::text as reference_id)`,
  'false',
);

/** The base address of links, and the signer of links that acknowledge. */
export interface Links {
  publicUrl: string;
  ackLinks: AckLinks;
}

/**
 * Returns the link that acknowledges the unit. If the message has one recipient (the owner of a browser, phone or mail
 * address), the link acts in that person's name; otherwise it is valid for anybody who has it. For a recipient who may not acknowledge,
 * it only opens the unit.
 */
function ackUrl(
  row: ExecutionRow,
  parameters: PlaceholderValues,
  values: PlaceholderValues,
  { ackLinks, publicUrl }: Links,
): PlaceholderValues {
  const unit = row.work_unit;
  if (!unit) return {};
  // A person who may test an action need not have the permission to acknowledge.
  if (isTestRow(row)) return { AckUrl: `${publicUrl}/ack/test`, ackUrl: `${publicUrl}/ack/test` };
  if (row.result_detail?.mayAcknowledge === false) return { AckUrl: values['WorkUnitUrl'], ackUrl: values['WorkUnitUrl'] };
  const personId = row.result_detail?.personId;
  const isMail = row.definition?.action_definition_id === builtInAction.email && !parameters['Cc'] && !parameters['Bcc'];
  const to = isMail ? newFiller(values).text(String(parameters['To'] || (row.tenant_email ?? ''))) : '';
  const url = ackLinks.url({
    workUnitId: unit.workUnitId,
    tenantId: row.tenant_id,
    recipient: personId ? personRecipient(personId) : onlyRecipient(to),
  });
  return { AckUrl: url, ackUrl: url };
}

/** The address of the unit in a message to one person says by which message the person comes. */
function linkOfMessage(row: ExecutionRow, { WorkUnitUrl }: PlaceholderValues): PlaceholderValues {
  if (!row.result_detail?.personId || isTestRow(row) || typeof WorkUnitUrl !== 'string') return {};
  return { WorkUnitUrl: `${WorkUnitUrl}&message=${row.message_id}` };
}

/** Descriptions that people write can be long; a message to somebody on call is read on a phone. */
const longestPageFacts = 4_000;

const isTestRow = (row: ExecutionRow): boolean => row.result_detail?.test === true;

/** The facts about the match of an execution, in these words; none without a match. */
function factsOfMatch(
  { tenant_id: tenantId, match, subject, rule, trace }: ExecutionRow,
  publicUrl: string,
  words: RuleWords,
): PlaceholderValues {
  if (!match || !subject) return {};
  const firstMatch = zulu(match.first_match);
  return matchFacts({ tenantId, publicUrl, subject, rule, packet: match.rule_packet, trace: trace ?? undefined, firstMatch, words });
}

/** The values for the placeholders in parameters. */
function contextOf(row: ExecutionRow, unit: NamedUnit | null, parameters: PlaceholderValues, links: Links): PlaceholderValues {
  const { match } = row;
  const ofUnit = unit ? unitValues(unit, links.publicUrl) : {};
  const matched = factsOfMatch(row, links.publicUrl, englishWords);
  const texts = [row.definition?.endpoint_url, row.definition?.headers, row.definition?.body, ...Object.values(parameters)].map(String);
  const moreFacts = matched['Facts'] && otherLines(String(matched['Facts']), unit?.description ?? '');
  const isExample = isTestRow(row) && !row.result_detail?.about;
  const values = {
    ...(isExample ? exampleValues(texts) : {}),
    ...ofUnit,
    TenantId: row.tenant_id,
    TenantName: row.tenant_name,
    CorrelationId: row.correlation_id,
    MessageId: row.message_id,
    ...matched,
    ...(match
      ? {
          RuleMatchId: match.rule_match_id,
          RuleId: match.rule_id,
          SubjectId: match.subject_id,
          EntityId: match.subject_id,
          Label: match.label,
          MatchCount: match.match_count,
          LastMatch: zulu(match.last_match),
          Created: zulu(match.created),
          Expires: zulu(match.expires),
          MatchState: match.closed ? 'Ended' : 'Active',
          ...(match.closed ? { Closed: zulu(match.closed) } : {}),
        }
      : {}),
    ...groupValues(row.match_group),
    ...summaryValues(row.result_detail?.summary),
    // For a protocol step, and for a test about a row, the unit takes precedence over the match that opened it.
    ...(row.work_unit_id === null && !row.result_detail?.about ? {} : ofUnit),
    MoreFacts: moreFacts,
    PageFacts: startOf([unit?.description, moreFacts].filter(Boolean).join('\n\n'), longestPageFacts),
    ...linkOfMessage(row, ofUnit),
  };
  return { ...values, ...ackUrl(row, parameters, values, links) };
}

const isTemplate = (name: string, value: PlaceholderValues[string]): value is string => typeof value === 'string' && !isPlain(name);

/** Fills placeholders in parameters from the context, once. Parameters do not refer to each other. */
export function filledParameters(parameters: PlaceholderValues, context: PlaceholderValues): PlaceholderValues {
  const filler = newFiller(context);
  return Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [name, isTemplate(name, value) ? filler.text(value) : value]),
  );
}

/** Puts the links that acknowledge the units of a summary into its text, which is stored without them. */
function withAckLinks(row: ExecutionRow, values: PlaceholderValues, { ackLinks }: Links): PlaceholderValues {
  const { ackUnits = [], personId } = row.result_detail ?? {};
  const text = values[plainText];
  if (ackUnits.length === 0 || personId === undefined || typeof text !== 'string') return values;
  const recipient = personRecipient(personId);
  const filled = ackUnits.reduce(
    (all, workUnitId) => all.replace(ackPlace(workUnitId), () => ackLinks.url({ workUnitId, tenantId: row.tenant_id, recipient })),
    text,
  );
  return { ...values, [plainText]: filled };
}

/** The placeholders without a value or default in each parameter, by the name of the parameter. */
function unfilledOf(parameters: PlaceholderValues, context: PlaceholderValues): Record<string, readonly string[]> {
  const left = Object.entries(parameters).map(([name, value]) => {
    const filler = newFiller(context);
    if (isTemplate(name, value)) filler.text(value);
    return [name, [...filler.unknown, ...filler.empty]] as const;
  });
  return Object.fromEntries(left.filter(([, names]) => names.length > 0));
}

/** Loads the execution with this message id, if any. */
export async function loadExecution(db: Db, messageId: string, links: Links): Promise<QueuedExecution | undefined> {
  const values = [messageId];
  const [row] = await db.transaction(async (tx) => {
    await tx.defer({ text: planOnce });
    return tx.last<ExecutionRow>({ name: 'action-load', text: load, values });
  });
  if (!row?.may_have_earlier) return row && executionOf(db, row, links, first);
  // Its place is read before its values once more, so that these show what has ended before it.
  const [, [place], [placed]] = await db.transaction((tx) =>
    Promise.all([
      tx.query({ text: planOnce }),
      tx.query<PlaceInOrder>({ name: 'action-order', text: order, values }),
      tx.query<ExecutionRow>({ name: 'action-load', text: load, values }),
    ]),
  );
  return place && placed && executionOf(db, placed, links, place);
}

/** Loads the execution that a test would write, without writing it. */
export async function loadTestedAction(
  db: Db,
  messageId: string,
  { definition, tenantId, about, parameters }: TestedAction,
  links: Links,
): Promise<QueuedExecution | undefined> {
  const detail = JSON.stringify({ test: true, ...(about && { about }) });
  const [row] = await db.query<ExecutionRow>({
    name: 'action-preview',
    text: loadTested,
    values: [messageId, tenantId, definition.actionDefinitionId, JSON.stringify(parameters), detail],
  });
  return row && executionOf(db, row, links, first);
}

/** The person whose browser or phone a message goes to, or who alone gets a mail; nobody else's choice is known. */
async function readerFor(db: Db, row: ExecutionRow, parameters: PlaceholderValues, values: PlaceholderValues): Promise<TextReader> {
  const personId = row.result_detail?.personId;
  if (personId) return readerOf(await localeOf(db, personId));
  return row.definition?.action_definition_id === builtInAction.email
    ? readerOfMail(db, parameters, row.tenant_email, values)
    : readerOf(null);
}

async function executionOf(db: Db, row: ExecutionRow, links: Links, place: PlaceInOrder): Promise<QueuedExecution> {
  const parameters = JSON.parse(row.input_parameters) as QueuedExecution['parameters'];
  const { definition, match, subject } = row;
  const unit = row.work_unit && (await withNames(db, row.work_unit));
  const written = contextOf(row, unit, parameters, links);
  const reader = await readerFor(db, row, parameters, written);
  const context = reader.language === 'en' ? written : withCause(written, factsOfMatch(row, links.publicUrl, ruleWordsFor(reader)));
  const isTest = isTestRow(row);
  return {
    messageId: row.message_id,
    tenantId: row.tenant_id,
    correlationId: row.correlation_id,
    statusId: row.result_status_id,
    phase: row.result_detail?.phase ?? 'match',
    parameters,
    definition: definition
      ? {
          id: definition.action_definition_id,
          tenantId: definition.tenant_id,
          name: definition.name,
          typeId: definition.action_definition_type_id,
          endpointUrl: definition.endpoint_url,
          httpMethod: definition.http_method,
          headers: definition.headers,
          body: definition.body,
          inputParameters: (definition.input_parameters ?? '').split(',').map((name) => name.trim()),
          expected: {
            successStatuses: definition.success_statuses,
            successText: definition.success_text,
            successField: definition.success_field,
            successValue: definition.success_value,
          },
          lookBackAddress: definition.look_back_address,
          reference: { referenceField: definition.reference_field, referenceAddress: definition.reference_address },
        }
      : undefined,
    match:
      match && subject && !isTest
        ? {
            ruleMatchId: match.rule_match_id,
            ruleId: match.rule_id,
            subjectId: match.subject_id,
            subject,
            label: match.label,
            ruleName: row.rule?.name ?? match.label,
            protocolId: row.rule_protocol_id,
            severityId: row.rule_severity_id,
            recurrence: row.recurrence ?? 'Append',
            reopenHours: row.reopen_hours,
            whileMatching: row.while_matching ?? 'Reopen',
            workUnitId: match.work_unit_id,
            isRepeat: match.is_repeat,
            openWorkUnitId: row.open_work_unit_id,
            isEndNotified: row.is_end_notified,
            isOver: match.closed !== null && row.match_group === null,
            unitOf: { scope: row.match_group?.scope ?? match.rule_id, key: row.match_group?.key ?? match.subject_id },
            group: row.match_group,
          }
        : undefined,
    order: place,
    workUnitId: row.work_unit_id ?? undefined,
    isTest,
    unfilled: unfilledOf(parameters, context),
    hops: row.result_detail?.hops ?? 0,
    ends: row.result_detail?.ends,
    endedUnitId: row.result_detail?.endedUnitId,
    isReminder: row.result_detail?.reminder === true,
    unitState: unit?.stateId,
    replayOf: row.result_detail?.replayOf,
    tenant: { name: row.tenant_name, email: row.tenant_email },
    reader,
    values: withAckLinks(row, { ...context, ...filledParameters(parameters, context) }, links),
  };
}
