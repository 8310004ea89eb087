/**
 * Brings a new version of a rule into force ring by ring. The rule keeps its row until the end. Until then, `rule_rollout` has
 * the changed fields, and the rows of the campaign's devices say for which devices the new version is evaluated. Every server
 * compiles both versions.
 */
import type { CheckedCampaign } from '@cloudfit/contract/actions/devices.ts';
import { ApiError, validationFailed } from '@cloudfit/contract/errors.ts';
import { ruleRingTexts } from '@cloudfit/contract/messages/rule-rings.en.ts';
import type { FieldName, Row, RowInput } from '@cloudfit/contract/resource.ts';
import { campaignDevices } from '@cloudfit/contract/resources/campaigns.ts';
import { rules } from '@cloudfit/contract/resources/rules.ts';
import { ruleTypeId } from '@cloudfit/contract/rules/compile.ts';
import { readsStates } from '@cloudfit/contract/rules/references.ts';
import type { Condition } from '@cloudfit/contract/rules/schema.ts';
import { inTransaction, requirePermission, type Ctx } from '../../context/ctx.ts';
import { changed } from '../../db/changed.ts';
import { notify } from '../../db/notify.ts';
import { createFromBody } from '../../resources/create.ts';
import { get } from '../../resources/get.ts';
import { servedOf } from '../../resources/served.ts';
import { prepareUpdate, update } from '../../resources/update.ts';

type RuleField = FieldName<typeof rules>;

/** The fields of a rule that are to be set. */
type RuleInput = RowInput<typeof rules>;

/** A rule as a client sent it, with values that are not checked yet. */
type SentRule = Readonly<Partial<Record<RuleField, unknown>>>;

const ofPackets: readonly number[] = [ruleTypeId.ingestion, ruleTypeId.history];

/** With other values of these fields it would be a different rule. */
const fixedFields: readonly RuleField[] = ['tenantId', 'subscriptionId', 'ruleTypeId'];

export interface AskedChange {
  /** Null for a new rule that has not been created yet. */
  ruleId: string | null;
  name: string;
  definition: RuleInput;
}

const fieldError = (target: string, message: string) => validationFailed([{ target, message }]);

/** Returns the error with the targets of the campaign's form: `rule.` before the name of each field. */
function ofForm(error: unknown): unknown {
  if (!(error instanceof ApiError) || error.details.length === 0) return error;
  return validationFailed(error.details.map(({ target, message }) => ({ target: `rule.${target ?? ''}`, message: message ?? '' })));
}

/** `rule` is a row, or what a client sent. */
function requireOfPackets(rule: SentRule): void {
  if (!ofPackets.includes(Number(rule.ruleTypeId)))
    throw fieldError(
      'rule.ruleTypeId',
      'Only rules of the types Ingestion and History come into force in rings: they evaluate packets of devices.',
    );
  const conditions = [rule.conditions, rule.recoveryConditions].flatMap((some) =>
    Array.isArray(some) ? some.filter((item): item is Condition => typeof item === 'object' && item !== null) : [],
  );
  if (readsStates({ conditions })) throw fieldError('rule.conditions', ruleRingTexts.byItself);
}

/** Returns the requested change. A changed rule is checked as if it were saved; a new rule when it is created. */
export async function ruleChangeOf(ctx: Ctx, input: CheckedCampaign): Promise<AskedChange> {
  const { tenantId, ruleId } = input;
  const rule: SentRule = input.rule ?? {};
  if (ruleId === undefined) {
    requirePermission(ctx, 'Rules', 'create', tenantId);
    requireOfPackets(rule);
    return { ruleId: null, name: typeof rule.name === 'string' ? rule.name : '', definition: { enabled: true } };
  }
  requirePermission(ctx, 'Rules', 'edit', tenantId);
  const served = servedOf(rules);
  const before = await get(ctx, served, ruleId, { lock: 'edit' });
  if (before.tenantId === null)
    throw fieldError(
      'ruleId',
      'A rule for several tenants does not come into force in rings, because a campaign is of one tenant. Save it for all.',
    );
  if (before.tenantId !== tenantId) throw fieldError('ruleId', 'Rule was not found in this tenant.');
  requireOfPackets(before);
  const { changed, after } = await prepareUpdate(ctx, served, before, rule).catch((error: unknown) => {
    throw ofForm(error);
  });
  const moved = changed.find((name) => fixedFields.includes(name));
  if (moved !== undefined) throw fieldError(`rule.${moved}`, 'Tenant, subscription and type of a rule cannot change in rings.');
  if (!after.enabled) throw fieldError('rule.enabled', 'A version that is disabled does not come into force; enable it.');
  requireOfPackets(after);
  const fields = changed.filter((name) => !name.startsWith('evaluation'));
  if (fields.length === 0) throw fieldError('rule', 'Nothing in the rule has changed.');
  const definition = Object.fromEntries(fields.map((name) => [name, after[name] ?? null])) as RuleInput;
  return { ruleId, name: after.name, definition };
}

/** Stores a new rule disabled; it applies only to devices of rings that have begun. */
export async function createDisabled(ctx: Ctx, { tenantId, rule = {} }: CheckedCampaign): Promise<Row<typeof rules>> {
  return createFromBody(ctx, servedOf(rules), { ...rule, tenantId, enabled: false }).catch((error: unknown) => {
    throw ofForm(error);
  });
}

export async function storeRollout(ctx: Ctx, campaignId: string, tenantId: string, ruleId: string, definition: RuleInput): Promise<void> {
  await ctx.db.query({
    name: 'rollout-store',
    text: 'insert into rule_rollout (campaign_id, tenant_id, rule_id, definition) values ($1, $2, $3, $4)',
    values: [campaignId, tenantId, ruleId, JSON.stringify(definition)],
  });
}

/**
 * Returns the fields of the rule that the campaign changes, also when the campaign has ended; undefined for a campaign of
 * another kind.
 */
export async function changesOfRule(ctx: Ctx, campaignId: string): Promise<{ ruleId: string; changes: RuleInput } | undefined> {
  const [change] = await ctx.db.query<{ ruleId: string; changes: RuleInput }>({
    name: 'rollout-changes',
    text: 'select rule_id as "ruleId", definition as changes from rule_rollout where campaign_id = $1',
    values: [campaignId],
  });
  return change;
}

const lock = 'select state = $2 and ($3::int is null or ring = $3) as fits from campaign where campaign_id = $1 for no key update';

// A separate statement after the lock, so that it sees what was committed before the lock was acquired.
const openRollout = 'select rule_id as "ruleId", definition from rule_rollout where campaign_id = $1 and ended is null';

interface OpenRollout {
  ruleId: string;
  definition: RuleInput;
}

async function lockRollout(ctx: Ctx, id: string, state: 'Running' | 'Stopping', ring: number | null): Promise<OpenRollout | undefined> {
  const [campaign] = await ctx.db.query<{ fits: boolean }>({ name: 'rollout-lock', text: lock, values: [id, state, ring] });
  if (!campaign?.fits) return undefined;
  return (await ctx.db.query<OpenRollout>({ name: 'rollout-open', text: openRollout, values: [id] }))[0];
}

const announced = changed(campaignDevices, 'update', '(select * from moved limit 1) m', '$3');

const begin = `with moved as (
  update campaign_device d set begun = $2, is_own = f.fault is null, untried = f.fault is not null, reason = f.fault, modified = $2,
    outcome = case when f.fault is null then 'Running' else 'Failed' end, ended = case when f.fault is not null then $2::timestamptz end
  from campaign c, device v, lateral (select case when v.is_deleted then 'The device was deleted.'
    when v.tenant_id <> c.tenant_id then 'The device has moved to another tenant.' when not v.enabled then 'The device is disabled.' end as fault) f
  where c.campaign_id = $1 and d.campaign_id = c.campaign_id and v.device_id = d.device_id and d.ring <= c.ring and d.begun is null and d.ended is null
  returning d.tenant_id, d.campaign_device_id
)
${announced}`;

/** Applies the new version to the devices of the rings up to the present one. */
export function beginRuleRing(ctx: Ctx, id: string): Promise<void> {
  return inTransaction(ctx, async (ctx) => {
    const open = await lockRollout(ctx, id, 'Running', null);
    if (!open) return;
    await ctx.db.query({ name: 'rollout-begin', text: begin, values: [id, ctx.now().toISOString(), ctx.correlationId] });
    await notify(ctx.db, 'rules', [open.ruleId]);
  });
}

const end = `with ended as (
  update rule_rollout set ended = $2 where campaign_id = $1 and ended is null
), moved as (
  update campaign_device set outcome = $4, ended = coalesce(case when $4 = 'Done' then ended end, $2::timestamptz), modified = $2
  where campaign_id = $1 and is_own and begun is not null and (outcome = 'Running' or $4 = 'Returned' and outcome in ('Done', 'Failed'))
  returning tenant_id, campaign_device_id
)
${announced}`;

/** Applies the previous version to all devices again. */
export function returnRule(ctx: Ctx, id: string): Promise<void> {
  return inTransaction(ctx, async (ctx) => {
    const open = await lockRollout(ctx, id, 'Stopping', null);
    if (!open) return;
    await ctx.db.query({ name: 'rollout-end', text: end, values: [id, ctx.now().toISOString(), ctx.correlationId, 'Returned'] });
    await notify(ctx.db, 'rules', [open.ruleId]);
  });
}

/**
 * Saves the new version of the rule for all devices, in the name of `actor`; returns false if the ring is no longer the present
 * one.
 */
export function adoptRule(
  ctx: Ctx,
  { actor, permissions }: Pick<Ctx, 'actor' | 'permissions'>,
  id: string,
  ring: number,
): Promise<boolean> {
  return inTransaction(ctx, async (ctx) => {
    const open = await lockRollout(ctx, id, 'Running', ring);
    if (!open) return false;
    await ctx.db.query({ name: 'rollout-end', text: end, values: [id, ctx.now().toISOString(), ctx.correlationId, 'Done'] });
    await update({ ...ctx, actor, permissions }, servedOf(rules), open.ruleId, open.definition);
    return true;
  });
}

const lateSeconds = 'greatest(300, 3 * v.heartbeat_interval)';

// The seconds until the occurrence patterns can hold: a new version begins to count occurrences when its ring begins.
const countedFor = `select coalesce(max(case p ->> 'Kind' when 'TimesInRow' then (p ->> 'Times')::int * v.heartbeat_interval
    when 'TimesWithin' then least((p ->> 'Times')::int * v.heartbeat_interval, (p ->> 'Seconds')::int)
    when 'Changed' then 2 * v.heartbeat_interval else (p ->> 'Seconds')::int end), 0) as seconds
  from jsonb_array_elements(coalesce(r.definition -> 'conditions', u.conditions)) e, lateral (select e -> 'OccurrencePattern' as p) x`;

const hasReported = `exists (select from latest_packet k where k.entity_id = d.device_id and k.received_timestamp > d.begun)
      or exists (select from device_operation o join latest_packet k on k.entity_id = o.device_operation_id where o.device_id = d.device_id and k.received_timestamp > d.begun)`;

/**
 * For the present ring of campaign `c`, if the campaign changes a rule: until when the ring's devices are watched at the
 * latest, and how many of them have not reported yet.
 */
export const watched = `select max(d.begun + make_interval(secs => case when s.done then w.seconds else greatest(w.seconds, ${lateSeconds}) end))::timestamptz(3) as until,
    count(*) filter (where not s.done)::int as awaited
  from campaign_device d join device v on v.device_id = d.device_id
  cross join lateral (select not (c.gate ->> 'heartbeat')::boolean or ${hasReported} as done) s
  join rule_rollout r on r.campaign_id = c.campaign_id join rule u on u.rule_id = r.rule_id
  cross join lateral (${countedFor}) w
  where c.rule_id is not null and d.campaign_id = c.campaign_id and d.ring = c.ring and d.outcome = 'Running'`;

// Starts from the matches, because they are few, while the devices are many.
const judge = `with matched as (
  select distinct on (d.campaign_device_id) d.campaign_device_id, 'Failed' as outcome, 'The new version matched: ' || x.label || '.' as reason, false as untried
  from campaign c join rule_match x on x.rule_id = c.rule_id and x.tenant_id = c.tenant_id and x.created >= c.created
  left join device_operation o on o.device_operation_id = x.subject_id
  join campaign_device d on d.campaign_id = c.campaign_id and d.device_id = coalesce(o.device_id, x.subject_id) and d.is_own
    and d.outcome in ('Running', 'Done') and x.created >= d.begun
  where c.campaign_id = any($1) and c.state = 'Running' and c.rule_id is not null order by d.campaign_device_id, x.created
), reported as (
  select d.campaign_device_id, case when s.done then 'Done' else 'Failed' end as outcome, case when not s.done then 'The device has not reported since.' end as reason, not s.done as untried
  from campaign c join campaign_device d on d.campaign_id = c.campaign_id and d.outcome = 'Running' join device v on v.device_id = d.device_id
  cross join lateral (select not (c.gate ->> 'heartbeat')::boolean or ${hasReported} as done) s
  join rule_rollout r on r.campaign_id = c.campaign_id join rule u on u.rule_id = r.rule_id
  cross join lateral (${countedFor}) w
  where c.campaign_id = any($1) and c.state = 'Running' and c.rule_id is not null and (not s.done or d.begun + make_interval(secs => w.seconds) <= $2)
    and (s.done or d.begun + make_interval(secs => ${lateSeconds}) < $2) and not exists (select from matched m where m.campaign_device_id = d.campaign_device_id)
), moved as (
  update campaign_device d set outcome = n.outcome, reason = n.reason, untried = n.untried, ended = $2, modified = $2
  from (select * from matched union all select * from reported) n
  where d.campaign_device_id = n.campaign_device_id and d.outcome in ('Running', 'Done') returning d.tenant_id, d.campaign_device_id
)
${announced}`;

/**
 * Sets the outcomes of devices: Done when the conditions have had time to hold; Failed if the new version has opened a match
 * on the device, or if the gate requires a heartbeat and the device has not reported in time.
 */
export async function judgeRuleDevices(ctx: Ctx, campaigns: readonly string[]): Promise<void> {
  if (campaigns.length === 0) return;
  await ctx.db.query({ name: 'rollout-judge', text: judge, values: [campaigns, ctx.now().toISOString(), ctx.correlationId] });
}
