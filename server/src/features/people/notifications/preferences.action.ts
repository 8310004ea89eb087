/** How a person is notified: read and changed by themselves and by administrators, with a test of each channel. */
import { randomUUID } from 'node:crypto';
import { ApiError, forbidden, notFound, tooManyRequests } from '@cloudfit/contract/errors.ts';
import { resultStatus } from '@cloudfit/contract/enums.ts';
import {
  changeNotificationPreferencesOfPerson,
  changeOwnNotificationPreferences,
  notificationPreferencesOfPerson,
  ownNotificationPreferences,
  testNotification,
  testNotificationOutcomes,
  type ShownPreferences,
  type TestOutcome,
} from '@cloudfit/contract/on-call/preferences.calls.ts';
import { nextDigest, type DigestTime } from '@cloudfit/contract/on-call/digest.ts';
import { preferenceProblems, quietUntil, type NotificationPreferences } from '@cloudfit/contract/on-call/preferences.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { recordAboutPerson } from '../../../auth/audit-entry.ts';
import { actorName, inTransaction, may, type Ctx } from '../../../context/ctx.ts';
import { writeExecutions } from '../../../executions/executions.ts';
import { implement, type ImplementedAction } from '../../../resources/action.ts';
import { requireTenant } from '../../../resources/disabled-tenants.ts';
import { get } from '../../../resources/get.ts';
import { servedPeople } from '../people.served.ts';
import { personToEdit } from '../person-to-edit.ts';
import { actionOf, addressesOf, channelsOfPeople, plainParameters, preferencesOf } from '../../../executions/channel-addresses.ts';
import { addressProblem, channelStates, type ChannelParts } from './channel-problems.ts';

export function ownId({ actor }: Ctx): string {
  if (actor.kind !== 'person') throw forbidden('Only people have notification preferences; sign in as a person.');
  return actor.id;
}

interface SettingsRow {
  name: string;
  phone: string | null;
  digest: DigestTime | null;
  browsers: ShownPreferences['browsers'];
}

const settingsText = `select p.name, n.phone, n.digest, coalesce(b.all, '[]') as browsers from person p left join notification_preference n using (person_id)
left join lateral (
  select jsonb_agg(jsonb_build_object('pushSubscriptionId', s.push_subscription_id, 'browser', s.browser,
    'created', to_char(s.created at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'lastSent', to_char(s.last_sent at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
    order by s.created, s.push_subscription_id) as all
  from push_subscription s where s.person_id = p.person_id
) b on true where p.person_id = $1`;

interface ReadParts extends ChannelParts {
  tenantId?: string | undefined;
  mayEdit: boolean;
}

async function shownOf(ctx: Ctx, personId: string, { tenantId, mayEdit, ...parts }: ReadParts): Promise<ShownPreferences> {
  const person = (await channelsOfPeople(ctx.db, tenantId ?? null, [personId])).get(personId);
  const [row] = await ctx.db.query<SettingsRow>({ name: 'preferences', text: settingsText, values: [personId] });
  if (!person || !row) throw notFound('Person');
  return {
    personId,
    name: row.name,
    phone: row.phone,
    digest: row.digest,
    browsers: row.browsers,
    ...preferencesOf(person),
    isDefault: person.time_zone === null,
    email: person.email,
    emailVerified: person.email !== null && person.email_verified,
    reach: await channelStates(ctx.db, tenantId, person, parts),
    mayEdit,
  };
}

const store = `insert into notification_preference (person_id, phone, time_zone, steps, quiet_hours, urgent, modified_by, digest, digest_due)
values ($1, $2, $3, $4::jsonb, $5::jsonb, $6::jsonb, $7, $8::jsonb, $9)
on conflict (person_id) do update set phone = excluded.phone, time_zone = excluded.time_zone, steps = excluded.steps, quiet_hours = excluded.quiet_hours,
  urgent = excluded.urgent, modified = now(), modified_by = excluded.modified_by,
  digest = excluded.digest, digest_due = case when $10 then notification_preference.digest_due else excluded.digest_due end`;

/** After a change of quiet hours, held messages wait until the end of the new quiet hours, but not longer than before. */
const shorten = `update notification set held_until = least(held_until, $2::timestamptz) where person_id = $1 and held_until is not null and released is null and held_because = 'QuietHours'`;

/** `digest`: undefined leaves it as it is. */
type ChosenPreferences = NotificationPreferences & { phone: string | null; digest?: DigestTime | null | undefined };

const isSameDigest = (a: DigestTime | null, b: DigestTime | null): boolean => a?.day === b?.day && a?.hour === b?.hour;

function change(outside: Ctx, personId: string, chosen: ChosenPreferences, parts: ChannelParts): Promise<ShownPreferences> {
  const { phone, timeZone, steps, quietHours, urgent } = chosen;
  const [problem] = preferenceProblems(chosen);
  if (problem) throw new ApiError('ValidationFailed', problem.message, { target: problem.target });
  return inTransaction(outside, async (ctx) => {
    await ctx.db.query({ text: 'select 1 from person where person_id = $1 for no key update', values: [personId] });
    const before = await shownOf(ctx, personId, { ...parts, mayEdit: true });
    const now = ctx.now().getTime();
    const digest = chosen.digest === undefined ? before.digest : chosen.digest;
    // A digest that waits for the end of quiet hours still comes when something else is changed.
    const isDueAsBefore = isSameDigest(digest, before.digest) && timeZone === before.timeZone;
    const values = [
      personId,
      phone,
      timeZone,
      JSON.stringify(steps),
      JSON.stringify(quietHours),
      JSON.stringify(urgent),
      actorName(ctx),
      digest && JSON.stringify(digest),
      digest && new Date(nextDigest(digest, timeZone, now)).toISOString(),
      isDueAsBefore,
    ];
    await ctx.db.query({ name: 'preferences-store', text: store, values });
    const until = quietUntil(chosen, 'Sev4', now) ?? now;
    await ctx.db.query({ name: 'preferences-held', text: shorten, values: [personId, new Date(until).toISOString()] });
    const after = await shownOf(ctx, personId, { ...parts, mayEdit: true });
    const recorded = (shownPreferences: ShownPreferences) => ({
      phone: shownPreferences.phone,
      timeZone: shownPreferences.timeZone,
      steps: shownPreferences.steps,
      quietHours: shownPreferences.quietHours,
      urgent: shownPreferences.urgent,
      digest: shownPreferences.digest,
    });
    await recordAboutPerson(ctx.db, personId, {
      actor: { ...ctx.actor, name: actorName(ctx) },
      verb: 'update',
      entity: 'notificationPreferences',
      entityId: personId,
      before: recorded(before),
      after: recorded(after),
      correlationId: ctx.correlationId,
      address: ctx.address,
    });
    return after;
  });
}

const readOwn = (pushKey: string, parts: ChannelParts) =>
  implement(ownNotificationPreferences, async (ctx, { tenantId }) => {
    if (tenantId !== undefined) requireTenant(ctx, tenantId);
    return { ...(await shownOf(ctx, ownId(ctx), { ...parts, tenantId, mayEdit: true })), pushKey };
  });

const changeOwn = (parts: ChannelParts) =>
  implement(changeOwnNotificationPreferences, (ctx, chosen) => change(ctx, ownId(ctx), chosen, parts));

const readOf = (parts: ChannelParts) =>
  implement(notificationPreferencesOfPerson, async (ctx, { id, tenantId }) => {
    if (tenantId !== undefined) requireTenant(ctx, tenantId);
    const { personId } = await get(ctx, servedPeople, id);
    return shownOf(ctx, personId, { ...parts, tenantId, mayEdit: may(ctx, permission('People', 'edit'), null) });
  });

const changeOf = (parts: ChannelParts) =>
  implement(changeNotificationPreferencesOfPerson, async (ctx, { id, phone, ...chosen }) => {
    const personId = await personToEdit(ctx, id);
    const { phone: current } = await shownOf(ctx, personId, { ...parts, mayEdit: true });
    // The link in an SMS acts in the name of the person, so nobody else may choose the phone that gets it.
    if (phone !== undefined && phone !== current && ctx.actor.id !== personId)
      throw new ApiError('ValidationFailed', 'Only the person can change the phone number.', { target: 'phone' });
    return change(ctx, personId, { ...chosen, phone: phone === undefined ? current : phone }, parts);
  });

/** The maximum number of tests in a minute: more would be spam, and SMS cost money. */
const maxTests = 10;

const test = implement(testNotification, (outside, { channel, tenantId }) =>
  inTransaction(outside, async (ctx) => {
    const personId = ownId(ctx);
    requireTenant(ctx, tenantId);
    await ctx.db.query({ text: 'select 1 from person where person_id = $1 for no key update', values: [personId] });
    const [recent] = await ctx.db.query<{ count: number }>({
      text: `select count(*)::int as count from action_history where tenant_id = $1 and action_processed > now() - interval '1 minute' and result_detail->>'testOf' = $2`,
      values: [tenantId, personId],
    });
    if ((recent?.count ?? 0) >= maxTests) throw tooManyRequests(`At most ${maxTests} tests a minute. Wait a moment.`, 60);
    const person = (await channelsOfPeople(ctx.db, tenantId, [personId])).get(personId);
    if (!person) throw notFound('Person');
    const problem = addressProblem(channel, person);
    if (problem !== null) throw new ApiError('ValidationFailed', problem, { target: 'channel' });
    const targets = addressesOf(person)[channel];
    const text = { title: 'Test from CloudFit', text: 'This is a test that you asked for. Work units that need you arrive like this.' };
    const messages = targets.map((target) => ({
      address: target.address,
      execution: {
        tenantId,
        actionDefinitionId: actionOf({ channel }, target),
        messageId: randomUUID(),
        correlationId: ctx.correlationId,
        referenceId: null,
        parameters: {
          ...plainParameters({ channel }, target.address, text),
          ...(target.pushSubscriptionId ? { PushSubscriptionId: target.pushSubscriptionId } : {}),
        },
        suppressed: false,
        detail: { label: `Test to ${actorName(ctx)}`, testOf: personId },
      },
    }));
    await writeExecutions(
      ctx.db,
      messages.map(({ execution }) => execution),
    );
    await recordAboutPerson(ctx.db, personId, {
      actor: { ...ctx.actor, name: actorName(ctx) },
      verb: 'test',
      entity: 'notificationPreferences',
      entityId: personId,
      after: { channel, messages: messages.length },
      correlationId: ctx.correlationId,
      address: ctx.address,
    });
    return { messages: messages.map(({ address, execution }) => ({ address, messageId: execution.messageId })) };
  }),
);

interface TestRow {
  status: number;
  isKept: boolean;
  retrying: boolean;
  error: string | null;
}

const outcomeOf = ({ status, isKept, retrying }: TestRow): TestOutcome => {
  if (status === resultStatus.success) return 'Sent';
  if (status !== resultStatus.enqueueSuccess) return 'Failed';
  return isKept ? 'Kept' : retrying ? 'Retrying' : 'Waiting';
};

const outcomes = implement(testNotificationOutcomes, async (ctx, { messageId }) => {
  const [row] = await ctx.db.query<TestRow>({
    name: 'test-outcome',
    text: `select result_status_id as status, kept_since is not null as "isKept", next_try is not null as retrying, left(result_detail->>'error', 2000) as error
from action_history where message_id = $1 and result_detail->>'testOf' = $2`,
    values: [messageId, ownId(ctx)],
  });
  if (!row) throw notFound('Test');
  return { outcome: outcomeOf(row), error: row.error };
});

export function preferenceActions({ pushKey, mailServerIsSet }: { pushKey: string } & ChannelParts): readonly ImplementedAction[] {
  const parts = { mailServerIsSet };
  return [readOwn(pushKey, parts), changeOwn(parts), readOf(parts), changeOf(parts), test, outcomes];
}
