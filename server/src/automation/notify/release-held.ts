/** Sends held messages: several of a person as one summary; a single one, and one whose unit has become urgent, as itself. */
import type { WorkUnitState } from '@cloudfit/contract/enums.ts';
import type { Locale } from '@cloudfit/contract/messages/language.ts';
import { notifications } from '@cloudfit/contract/resources/notifications.ts';
import { changed } from '../../db/changed.ts';
import type { Db } from '../../db/db.ts';
import { writeExecutions } from '../../executions/executions.ts';
import type { Periodic } from '../../jobs/schedule.ts';
import { ackPlace, actionOf, channelWords, plainParameters } from '../../executions/channel-addresses.ts';
import { choiceTextFor } from '../../platform/choice-text.ts';
import { eachApart } from '../../jobs/each-apart.ts';
import { readerOf } from '../../platform/language.ts';
import { mailTextsFor } from '../../platform/mail-texts.ts';
import { momentText } from '../../platform/times.ts';
import { uuidV5 } from '../../platform/uuid-v5.ts';
import type { StepEnd } from '../protocols/protocol-timeline.ts';
import { subjectJoins } from '../match-facts.ts';
import { mayNotify, type NotifyDecision } from './may-notify.ts';
import { mayAcknowledge } from './recipients.ts';
import { summaryOf, type SummaryPart } from './summary.ts';
import { writeMessages } from './write-messages.ts';
import { currentDate } from '../../platform/clock.ts';

const atOnce = 200;

interface HeldMessage {
  notification_id: string;
  step_message_id: string;
  held_because: string | null;
  /** The channels by which it could not be sent (`useNextChannel`). */
  problem: string | null;
  is_due: boolean;
  /** Since when the message has been held. */
  created: string;
  name: string;
  whom: string;
  email: string | null;
  locale: Locale | null;
  may_acknowledge: boolean;
  work_unit_id: number;
  public_work_unit_id: number;
  title: string;
  description: string | null;
  severity_id: string;
  state_id: WorkUnitState;
  tenant_name: string;
  /** Of the rule and the location of its first match; null for a unit without matches. */
  rule_name: string | null;
  location_name: string | null;
  /** The matches that the unit stands for, those that go on, and whether they form a group. */
  matches: number;
  open: number;
  is_group: boolean;
  correlation_id: string | null;
  input_parameters: string | null;
  result_detail: { ends?: StepEnd; hops?: number } | null;
}

const due = `n.held_until <= now()`;
const isUrgent = `(n.held_unless ? w.severity_id and w.state_id = 'New')`;

const isHeld = `n.held_until is not null and n.released is null and n.person_id is not null`;

/** People with held messages that are due, or have become urgent because their unit has changed. */
const people = (
  changed: string,
): string => `select n.tenant_id, n.person_id from notification n join tenant t on t.tenant_id = n.tenant_id and t.enabled
where ${isHeld} and ${due}
union select n.tenant_id, n.person_id from work_unit w join notification n using (work_unit_id) join tenant t on t.tenant_id = n.tenant_id and t.enabled
where ${isHeld} and ${isUrgent}${changed} limit ${atOnce}`;

const allPeople = { name: 'held-people', text: people('') };
const peopleOfChanged = { name: 'held-people-changed', text: people(` and w.modified > now() - $1::float8 * interval '1 millisecond'`) };

// Locks the due and urgent held messages of a person together, so that two processes do not send two summaries.
const longestDescription = 2_000;

const heldText = `select n.notification_id, n.step_message_id, n.held_because, n.problem, ${due} as is_due, n.created, n.name, n.whom, p.email, p.locale, ${mayAcknowledge('n.tenant_id')} as may_acknowledge, w.work_unit_id, w.public_work_unit_id, w.title,
  left(w.description, ${longestDescription}) as description, w.severity_id, w.state_id, t.name as tenant_name, h.correlation_id, h.input_parameters, h.result_detail,
  r.name as rule_name, sl.name as location_name, m.matches, m.open, m.is_group
from notification n join work_unit w using (work_unit_id) join tenant t on t.tenant_id = n.tenant_id join person p on p.person_id = n.person_id
left join action_history h on h.message_id = n.step_message_id
cross join lateral (
  select count(*)::int as matches, count(*) filter (where u.state = 'Open')::int as open, coalesce(bool_or(u.kind <> 'Subject'), false) as is_group,
    (array_agg(u.rule_id order by u.first_match))[1] as rule_id, (array_agg(u.subject_id order by u.first_match))[1] as subject_id
  from unit_match u where u.work_unit_id = w.work_unit_id
) m
left join rule r on r.rule_id = m.rule_id
${subjectJoins('m.subject_id')}
where n.tenant_id = $1 and n.person_id = $2 and n.held_until is not null and n.released is null and (${due} or ${isUrgent})
order by n.created, n.notification_id for update of n`;

const release = `with released as (
  update notification set released = now(), told_by = $2, problem = $3, channel = coalesce($4, channel), address = coalesce($5, address)
  where notification_id = any($1::uuid[]) and released is null returning tenant_id, notification_id
)
${changed(notifications, 'update', 'released', '$6')}`;

const wait = 'update notification set held_until = $2 where notification_id = any($1::uuid[]) and released is null';

const endedStates: readonly WorkUnitState[] = ['Resolved', 'Closed', 'Canceled'];
const isOver = ({ state_id }: HeldMessage): boolean => endedStates.includes(state_id);

/** The lines about one unit; in a mail to somebody who may, with the link that acknowledges it. */
function partOf(row: HeldMessage, url: string, hasLinks: boolean): SummaryPart {
  const reader = readerOf(row.locale);
  const texts = mailTextsFor(reader).summary;
  const lines = [
    texts.since(choiceTextFor(reader, row.state_id), momentText(reader, row.created)),
    ...(row.matches > 1 ? [texts.matches(row.matches, row.open)] : []),
    ...(hasLinks && row.state_id === 'New' ? [texts.acknowledge(ackPlace(row.work_unit_id))] : []),
    texts.open(url),
  ].join('\n');
  return {
    title: `${row.severity_id} ${row.public_work_unit_id}: ${row.title}`,
    severity: row.severity_id,
    rule: row.rule_name ?? row.title,
    customer: row.tenant_name,
    site: row.location_name,
    isGroup: row.is_group,
    matches: row.matches,
    open: row.open,
    isOver: isOver(row),
    text: [lines, row.description ?? ''].filter((item) => item !== '').join('\n\n'),
    short: lines,
  };
}

/** Title and text of a summary: each unit once. `ackUnits`: the units whose links that acknowledge are in its text. */
export function summaryOfUnits(
  rows: readonly HeldMessage[],
  urlOf: (workUnitId: number) => string,
  hasLinks: boolean,
): { title: string; text: string; ackUnits: number[] } {
  const units = [...new Map(rows.map((row) => [row.work_unit_id, row])).values()];
  const open = units.filter((row) => row.state_id === 'New').length;
  const texts = mailTextsFor(readerOf(rows[0]?.locale)).summary;
  const about = texts.units(units.length, open);
  const { title, text, included } = summaryOf(units, (row) => partOf(row, urlOf(row.work_unit_id), hasLinks), { about, texts });
  const left = units.length - included.length;
  return {
    title: rows[0]?.held_because === 'QuietHours' ? texts.inQuietHours(title) : title,
    text: left > 0 ? `${text}\n\n${texts.more(left)}` : text,
    ackUnits: hasLinks ? included.flatMap((row) => (row.state_id === 'New' ? row.work_unit_id : [])) : [],
  };
}

interface ReleaseTarget {
  tenantId: string;
  personId: string;
  publicUrl: string;
  pauseMs: number;
}

/** Permission to notify the person now about these messages; records it if they may not be sent now. */
async function permitted(
  tx: Db,
  { tenantId, personId, pauseMs }: ReleaseTarget,
  rows: readonly HeldMessage[],
): Promise<(NotifyDecision & { when: 'now' }) | undefined> {
  const [first] = rows;
  if (!first) return undefined;
  // The worst of what goes on.
  const [severityId = ''] = rows
    .toSorted((a, b) => Number(isOver(a)) - Number(isOver(b)) || (a.severity_id < b.severity_id ? -1 : 1))
    .map((row) => row.severity_id);
  const message = { tenantId, severityId, at: currentDate(), messageId: first.notification_id, pauseMs };
  const decision = (await mayNotify(tx, message, [personId])).get(personId);
  if (decision?.when === 'now') return decision;
  const ids = rows.map((row) => row.notification_id);
  if (decision?.when === 'held') await tx.query({ name: 'held-wait', text: wait, values: [ids, decision.until.toISOString()] });
  else await recordRelease(tx, rows, { problem: `${first.name} cannot be reached: ${decision?.problem ?? ''}.` });
  return undefined;
}

interface Release {
  by?: string | undefined;
  problem?: string;
  channel?: string;
  address?: string;
}

function recordRelease(tx: Db, rows: readonly HeldMessage[], { by, problem, channel, address }: Release): Promise<void> {
  const ids = rows.map((row) => row.notification_id);
  const correlationId = rows[0]?.correlation_id ?? crypto.randomUUID();
  const values = [ids, by ?? null, problem ?? null, channel ?? null, address ?? null, correlationId];
  return tx.defer({ name: 'held-release', text: release, values });
}

async function summarise(tx: Db, to: ReleaseTarget, rows: readonly HeldMessage[]): Promise<void> {
  const [first] = rows;
  const turns = first && (await permitted(tx, to, rows))?.turns;
  if (!turns) return;
  const failed = [...new Set(rows.flatMap(({ problem }) => problem ?? []))].join(' ');
  const turn = turns.find(({ channel }) => !failed.includes(`${channelWords[channel]} failed.`));
  if (!turn) return recordRelease(tx, rows, { problem: `${first.name} cannot be reached: ${failed}` });
  const { tenantId, personId, publicUrl } = to;
  const urlOf = (workUnitId: number) => `${publicUrl}/${tenantId}/workunitsv2?workUnitId=${workUnitId}`;
  const { ackUnits, ...summary } = summaryOfUnits(rows, urlOf, turn.channel === 'Mail' && first.may_acknowledge);
  const messages = turn.targets.map((target) => ({
    tenantId,
    actionDefinitionId: actionOf(turn, target),
    messageId: uuidV5(first.notification_id, `summary:${target.pushSubscriptionId ?? target.address}`),
    correlationId: first.correlation_id ?? crypto.randomUUID(),
    referenceId: null,
    parameters: {
      ...plainParameters(turn, target.address, summary),
      ...(target.pushSubscriptionId ? { PushSubscriptionId: target.pushSubscriptionId } : {}),
    },
    suppressed: false,
    detail: {
      label: `${channelWords[turn.channel]} to ${first.name} (summary)`,
      personId,
      ...(ackUnits.length > 0 ? { ackUnits } : {}),
    },
  }));
  await writeExecutions(tx, messages);
  const address = turn.targets.map((target) => target.address).join(', ');
  await recordRelease(tx, rows, { by: messages[0]?.messageId, channel: channelWords[turn.channel], address });
}

/** Sends a message as it would have gone out without being held. */
async function sendAsItself(tx: Db, to: ReleaseTarget, row: HeldMessage): Promise<void> {
  const decision = await permitted(tx, to, [row]);
  if (!decision) return;
  const { tenantId, personId } = to;
  const correlationId = row.correlation_id ?? crypto.randomUUID();
  const recipient = {
    personId,
    name: row.name,
    email: row.email,
    whom: row.whom,
    mayAcknowledge: row.may_acknowledge,
    reader: readerOf(row.locale),
  };
  await writeMessages(
    tx,
    {
      messageId: row.step_message_id,
      tenantId,
      correlationId,
      workUnitId: row.work_unit_id,
      stateId: row.state_id,
      hops: row.result_detail?.hops ?? 0,
      ends: row.result_detail?.ends,
      parameters: row.input_parameters === null ? {} : (JSON.parse(row.input_parameters) as Record<string, unknown>),
    },
    [{ recipient, permitted: decision }],
    ':released',
  );
  await tx.defer({ name: 'held-drop', text: 'delete from notification where notification_id = $1', values: [row.notification_id] });
}

/**
 * Sends the held messages that are due or urgent. Returns how many people, counted for each tenant, had such messages. With `changedForMs`,
 * only units that were changed in this time are looked at for urgent ones.
 */
export async function releaseHeld(db: Db, publicUrl: string, pauseMs = 0, changedForMs?: number): Promise<number> {
  const waiting = await db.query<{ tenant_id: string; person_id: string }>(
    changedForMs === undefined ? allPeople : { ...peopleOfChanged, values: [changedForMs] },
  );
  await eachApart(waiting, ({ tenant_id: tenantId, person_id: personId }) =>
    db.transaction(async (tx) => {
      const rows = await tx.query<HeldMessage>({ name: 'held-rows', text: heldText, values: [tenantId, personId] });
      const owner = { tenantId, personId, publicUrl, pauseMs };
      for (const row of rows) if (!row.is_due) await sendAsItself(tx, owner, row);
      const due = rows.filter((row) => row.is_due);
      const [only] = due;
      if (only && due.length === 1 && !isOver(only)) await sendAsItself(tx, owner, only);
      else await summarise(tx, owner, due);
    }),
  );
  return waiting.length;
}

/** Longer than a transaction that changes a unit: the unit has the time at which it began. */
const longestChangeMs = 120_000;

/** Looks at all units first, and then at those that have changed since the last run of this process. */
export function heldWork(publicUrl: string, pauseMs: number): Periodic {
  let lastRun: number | undefined;
  return {
    name: 'held-messages',
    everyMs: 5_000,
    async run(db) {
      const now = performance.now();
      const changedForMs = lastRun === undefined ? undefined : now - lastRun + longestChangeMs;
      if ((await releaseHeld(db, publicUrl, pauseMs, changedForMs)) < atOnce) lastRun = now;
    },
  };
}
