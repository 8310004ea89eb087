/** Sends the mails of matches: within a pause, at most one to an address. Further mails wait and go out as one mail. */
import { resultStatus } from '@cloudfit/contract/enums.ts';
import { actionHistories } from '@cloudfit/contract/resources/action-histories.ts';
import { changed } from '../../db/changed.ts';
import type { Db } from '../../db/db.ts';
import { wakeFollowers } from '../../executions/executions.ts';
import { NotDue } from '../../jobs/job.ts';
import { loadExecution, type Links } from '../action-context.ts';
import type { QueuedExecution } from '../execution.ts';
import { recordResult, type ActionResult, type KeptMail } from '../action-result.ts';
import { takeTurns } from './message-turns.ts';
import { composeEmail, keyOf, mailSeparately, sendEmail, type ComposedMail, type MailChannels } from '../send-email.ts';
import type { Try } from '../tries.ts';
import { mayAcknowledge } from './recipients.ts';
import { severityOfMail, summaryOfMails } from './summary-of-mails.ts';

/** Maximum number of waiting mails that one mail includes; further mails wait for the next turn. */
const maxMerged = 200;

/**
 * Whether the mail needs a turn: a mail of a match, or of a unit that a match has opened, needs one. A message of Notify took
 * its turn when it was written.
 */
async function isLimited(db: Db, execution: QueuedExecution): Promise<boolean> {
  if (!execution.match || execution.isTest || execution.replayOf !== undefined) return false;
  if (execution.workUnitId === undefined) return true;
  const rows = await db.query({
    name: 'mail-of-notify',
    text: 'select 1 from notification where message_id = $1',
    values: [execution.messageId],
  });
  return rows.length === 0;
}

const namesSecret = ({ parameters }: QueuedExecution): boolean =>
  Object.values(parameters).some((value) => typeof value === 'string' && value.includes('{Secret:'));

const addresses = ({ to, cc, bcc }: ComposedMail): string[] =>
  [to, cc, bcc].flatMap((list) => (list ?? '').split(/[,;]/)).flatMap((text) => text.trim() || []);

// A mail that was tried includes the same mails in the next try, because the first may have arrived. A mail that includes other
// mails is not included in a further mail. What goes on comes before what is over, groups before singles, the worst first.
const others = `select w.message_id from waiting_mail w join action_history h on h.message_id = w.message_id and h.result_status_id = ${resultStatus.enqueueSuccess}
left join rule_match m on m.tenant_id = w.tenant_id and m.rule_match_id = case when h.reference_id ~ '^[0-9a-f-]{36}$' then h.reference_id::uuid end
left join match_group_member gm on gm.rule_match_id = m.rule_match_id
left join match_group g on g.match_group_id = gm.match_group_id and g.kind <> 'Subject'
left join work_unit u on u.tenant_id = w.tenant_id and u.work_unit_id = m.work_unit_id
where w.tenant_id = $1 and w.recipient = $2 and w.message_id <> $3 and (w.merged_into = $3 or w.merged_into is null
  and not exists (select from action_history tried join action_try t using (action_history_id) where tried.message_id = $3)
  and not exists (select from waiting_mail x where x.merged_into = w.message_id))
order by h.result_detail->>'phase' = 'expiration', g.match_group_id is null and m.closed is not null, g.match_group_id is null, u.severity_id, w.created
limit ${maxMerged}`;

const claim = `update waiting_mail w set merged_into = $1 where w.message_id = any($2::uuid[]) and (w.merged_into is null or w.merged_into = $1)
  and not exists (select from waiting_mail mine where mine.message_id = $1 and mine.merged_into is not null) returning w.message_id as id`;

// Releases the mails that were included in a mail that has failed or was stopped, so that each goes out by itself.
const release = `update waiting_mail w set merged_into = null where w.merged_into = (select merged_into from waiting_mail where message_id = $1)
  and not exists (select from action_history h where h.message_id = w.merged_into and h.result_status_id = ${resultStatus.enqueueSuccess})`;

const taker = 'select merged_into as id from waiting_mail where message_id = $1 and merged_into is not null';

/** Time after which a mail that is included in another mail checks the outcome of that mail again. */
const lookAgainMs = 5_000;

async function requireNotTaken(db: Db, messageId: string): Promise<void> {
  const isTaken = async () =>
    (await db.query<{ id: string | null }>({ name: 'waiting-mail-taker', text: taker, values: [messageId] })).length > 0;
  if (!(await isTaken())) return;
  await db.query({ name: 'waiting-mail-release', text: release, values: [messageId] });
  if (await isTaken()) throw new NotDue('It goes out in one mail with others.', lookAgainMs);
}

/** Egress of mails, and the pause between two messages to one person. */
interface ChannelsInTurn extends MailChannels, Links {
  /** The time between two messages to one person. Default: none. */
  personPauseMs?: number;
}

async function waitingOthers(
  db: Db,
  channels: ChannelsInTurn,
  { tenantId, messageId }: QueuedExecution,
  recipient: string,
): Promise<QueuedExecution[]> {
  const rows = await db.query<{ message_id: string }>({ name: 'waiting-mails', text: others, values: [tenantId, recipient, messageId] });
  const executions: QueuedExecution[] = [];
  for (const row of rows) {
    const one = await loadExecution(db, row.message_id, channels);
    if (one && one.statusId === resultStatus.enqueueSuccess && !namesSecret(one)) executions.push(one);
  }
  return executions;
}

interface MergedMail {
  execution: QueuedExecution;
  included: readonly QueuedExecution[];
}

/** Merges the texts of several mails into one. */
function merged(execution: QueuedExecution, all: readonly QueuedExecution[], to: string, hasLinks: boolean): MergedMail {
  const { title, text, included } = summaryOfMails(execution, all, hasLinks);
  return {
    included,
    execution: {
      ...execution,
      unfilled: {},
      parameters: {
        To: to,
        Template: 'None',
        Subject: '{MergedTitle}',
        Body: '{MergedText}',
        IsImportant: all.some(({ parameters }) => parameters['IsImportant'] === true || parameters['IsImportant'] === 'true'),
      },
      values: { ...execution.values, MergedTitle: title, MergedText: text },
    },
  };
}

const staff = `select 1 from person p where lower(p.email) = $2 and ${mayAcknowledge('$1')} limit 1`;

/** Whether the mail may have links that acknowledge: if its recipient is a person who may edit units of the tenant. */
async function isStaff(db: Db, { tenantId }: QueuedExecution, recipient: string): Promise<boolean> {
  return (await db.query({ name: 'merged-mail-staff', text: staff, values: [tenantId, recipient] })).length > 0;
}

// Lets an execution wait for its turn, unless it has ended: the lock of its row orders this and a concurrent end.
const wait = `with waiting as (
  update action_history set next_try = now() + $3::float8 * interval '1 millisecond', result_detail = coalesce(result_detail, '{}') || jsonb_build_object('error', $4::text)
  where message_id = $1 and result_status_id = ${resultStatus.enqueueSuccess}
  returning tenant_id, action_history_id, correlation_id, message_id
), changed as (${changed(actionHistories, 'update', 'waiting')})
insert into waiting_mail (message_id, tenant_id, recipient) select message_id, tenant_id, $2 from waiting on conflict do nothing returning 1`;

/** Claims the waiting mails that fit into this mail, and returns those that no other mail has claimed. */
async function claimOthers(db: Db, execution: QueuedExecution, waiting: readonly QueuedExecution[]): Promise<QueuedExecution[]> {
  if (waiting.length === 0) return [];
  // With links that acknowledge, because without them more mails fit than with them.
  const { included } = summaryOfMails(execution, [execution, ...waiting], true);
  const ids = included.flatMap(({ messageId }) => (messageId === execution.messageId ? [] : messageId));
  if (ids.length === 0) return [];
  const rows = await db.query<{ id: string }>({ name: 'waiting-mail-claim', text: claim, values: [execution.messageId, ids] });
  return waiting.filter(({ messageId }) => rows.some(({ id }) => id === messageId));
}

/** Lets the mail wait for `ms` milliseconds, and lets the next action start. */
async function putOff(db: Db, { messageId }: QueuedExecution, recipient: string, ms: number): Promise<never> {
  const reason = 'Its recipient got another message shortly before.';
  const delayMs = ms + 50;
  await db.transaction(async (tx) => {
    const added = await tx.query({ name: 'waiting-mail-add', text: wait, values: [messageId, recipient, delayMs, reason] });
    if (added.length > 0) await wakeFollowers(tx, messageId);
  });
  throw new NotDue(reason, delayMs);
}

/** Sends the mail now to the recipients whose turn it is; each other recipient gets a separate mail when their turn comes. */
async function splitUp(
  channels: ChannelsInTurn,
  db: Db,
  execution: QueuedExecution,
  attempt: Try,
  { to, waiting }: { to: readonly string[]; waiting: ReadonlyMap<string, string> },
): Promise<ActionResult | KeptMail> {
  await mailSeparately(db, execution, [...waiting.values()]);
  const later = { later: [...waiting.values()].join(', ') };
  if (to.length === 0) return { succeeded: true, detail: later };
  const parameters = { ...execution.parameters, To: to.join(', '), Cc: null, Bcc: null };
  const result = await sendEmail(db, channels, { ...execution, parameters }, attempt);
  const all = [later.later, result.detail['later']].filter(Boolean).join(', ');
  return { ...result, detail: { ...result.detail, later: all } };
}

export async function sendEmailInTurn(
  channels: ChannelsInTurn,
  db: Db,
  execution: QueuedExecution,
  attempt: Try,
): Promise<ActionResult | KeptMail> {
  const pauseMs = channels.personPauseMs ?? 0;
  await requireNotTaken(db, execution.messageId);
  // Without a mail server each mail is stored separately.
  if (pauseMs <= 0 || !channels.mail || !(await isLimited(db, execution))) return sendEmail(db, channels, execution, attempt);
  const composed = composeEmail(execution);
  const byKey = new Map(addresses(composed).map((address) => [keyOf(address), address]));
  const severityId = execution.phase === 'match' ? severityOfMail(execution) : undefined;
  const waits = await takeTurns(db, [...byKey.keys()], execution.messageId, { pauseMs, severityId });
  const [recipient, ...more] = [...byKey.keys()];
  if (recipient === undefined || more.length > 0) {
    if (waits.size === 0) return sendEmail(db, channels, execution, attempt);
    const to = [...byKey].flatMap(([key, address]) => (waits.has(key) ? [] : [address]));
    return splitUp(channels, db, execution, attempt, { to, waiting: new Map([...byKey].filter(([key]) => waits.has(key))) });
  }
  const waitMs = waits.get(recipient);
  if (waitMs !== undefined) return putOff(db, execution, recipient, waitMs);
  const waitingMails = namesSecret(execution)
    ? []
    : await claimOthers(db, execution, await waitingOthers(db, channels, execution, recipient));
  await requireNotTaken(db, execution.messageId);
  if (waitingMails.length === 0) return sendEmail(db, channels, execution, attempt);
  const { messageId } = execution;
  const digest = merged(execution, [execution, ...waitingMails], composed.to, await isStaff(db, execution, recipient));
  const result = await sendEmail(db, channels, digest.execution, attempt);
  const included = digest.included.map((message) => message.messageId).filter((id) => id !== messageId);
  if ('isKept' in result) return result;
  const whole = { ...result, detail: { ...result.detail, merged: included.length + 1 } };
  await db.transaction(async (tx) => {
    for (const id of included)
      await recordResult(tx, id, {
        succeeded: true,
        detail: { recipients: composed.to, reason: 'merged', mergedInto: messageId },
      });
    await attempt.end(tx, undefined);
    await recordResult(tx, messageId, whole);
  });
  return whole;
}
