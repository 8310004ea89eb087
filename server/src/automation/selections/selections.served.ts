/** Selections: who sees them, what is refused, and their members right after they are saved. */
import { ApiError } from '@cloudfit/contract/errors.ts';
import { deviceSelections, selectionMembers } from '@cloudfit/contract/resources/device-selections.ts';
import { policies } from '@cloudfit/contract/resources/policies.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { actorName, type Ctx } from '../../context/ctx.ts';
import { changed } from '../../db/changed.ts';
import { serve, type FieldError } from '../../resources/served.ts';
import { requestChecks } from '../policies/checks.ts';
import { ofCallersGroups, placeProblems } from '../places.ts';
import { devicesOfFilter, missingRow, removeAllMembers, TooManyDevices, updateMembers } from './members.ts';

type SelectionRow = Row<typeof deviceSelections>;

async function filterProblems(ctx: Ctx, selection: SelectionRow): Promise<FieldError[]> {
  const problem = (message: string) => [{ target: 'filter', message }];
  if (/\bselections\//.test(selection.filter))
    return problem('The filter of a selection names no other selection. Write the conditions of that one instead.');
  try {
    const { count, keys } = await devicesOfFilter(ctx, selection);
    if (count > keys.length) return problem(new TooManyDevices(count).message);
    const missing = await missingRow(ctx, selection.filter);
    return missing === undefined ? [] : problem(missing);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    return problem(error.details[0]?.message ?? error.message);
  }
}

/** Deleted policies no longer name the selection. */
const leavePolicies = `with gone as (
  update device_policy set device_selection_id = null where device_selection_id = $1 returning tenant_id, policy_id
)
${changed(policies, 'update', 'gone', '$2')}`;

const usesText = `select 'Policies' as kind, name from device_policy where device_selection_id = $1 and not is_deleted
union all select 'Maintenance', reason from maintenance_window where device_selection_id = $1 and ends_at > now()
union all select 'Rules', name from rule where rule_id in (select rules_that_name($2::uuid, $1))
union all select 'Status pages', title from status_page where components @> jsonb_build_array(jsonb_build_object('kind', 'Selection', 'of', $1::text))
union all select 'Dashboards', name from dashboard where sharing <> 'Only me' and tiles @> jsonb_build_array(jsonb_build_object('scope', jsonb_build_object('selection', $1::text)))
order by 1, 2 limit 3`;

/** What would lose its devices, by name. */
async function problemsOfUses(ctx: Ctx, { deviceSelectionId: id, tenantId }: SelectionRow): Promise<FieldError[]> {
  const uses = await ctx.db.query<{ kind: string; name: string }>({
    name: 'selection-uses',
    text: usesText,
    values: [id, tenantId ?? null],
  });
  const [first] = uses;
  if (first) {
    const names = uses.filter(({ kind }) => kind === first.kind).map(({ name }) => name);
    return [
      {
        target: 'deviceSelectionId',
        message:
          first.kind === 'Maintenance'
            ? `Maintenance is for this selection: ${names.join(', ')}. End it first.`
            : `${first.kind} are for this selection: ${names.join(', ')}. Give them another selection first.`,
      },
    ];
  }
  await ctx.db.query({ name: 'selection-of-deleted-policies', text: leavePolicies, values: [id, ctx.correlationId] });
  await removeAllMembers(ctx, id);
  return [];
}

const foreignUses = `select 'policy' as kind, name from device_policy where device_selection_id = $1 and not is_deleted and tenant_id is distinct from $2
union all select 'rule', name from rule where rule_id in (select rules_that_name(null, $1)) and tenant_id is distinct from $2
union all select 'status page', title from status_page where components @> jsonb_build_array(jsonb_build_object('kind', 'Selection', 'of', $1::text)) and tenant_id <> $2
union all select 'maintenance', reason from maintenance_window where device_selection_id = $1 and ends_at > now() and tenant_id <> $2
limit 1`;

/** A selection that leaves the tenant of its policies and rules would take their devices from them without a word. */
async function moveProblems(ctx: Ctx, { deviceSelectionId, tenantId }: SelectionRow): Promise<FieldError[]> {
  if (!tenantId) return [];
  const [use] = await ctx.db.query<{ kind: string; name: string }>({
    name: 'selection-foreign-uses',
    text: foreignUses,
    values: [deviceSelectionId, tenantId],
  });
  return use ? [{ target: 'tenantId', message: `The ${use.kind} ${use.name} is for this selection and for other tenants.` }] : [];
}

const decides = ['filter', 'tenantId', 'tenantGroupId'] as const;

export const servedDeviceSelections = serve(deviceSelections, 'device_selection', {
  rowsFor: ofCallersGroups,
  fill: (ctx, { verb, changed }) => ({
    modifiedBy: actorName(ctx),
    ...(verb === 'create' ? { createdBy: actorName(ctx) } : {}),
    ...(decides.some((name) => changed.includes(name)) ? { problem: null } : {}),
  }),
  check: async (ctx, { verb, before, after, changed }) => {
    if (verb === 'delete') return problemsOfUses(ctx, after);
    const problems = placeProblems(after, 'selection');
    if (problems.length > 0 || !decides.some((name) => changed.includes(name))) return problems;
    const moved = before && before.tenantId !== after.tenantId ? await moveProblems(ctx, after) : [];
    return moved.length > 0 ? moved : filterProblems(ctx, after);
  },
  needsAfter: ({ verb, changed }) => verb === 'create' || (verb === 'update' && decides.some((name) => changed.includes(name))),
  after: async (ctx, { after }) => {
    const { joined, left } = await updateMembers(ctx, after);
    await requestChecks(ctx, [...joined, ...left]);
  },
});

export const servedSelectionMembers = serve(selectionMembers, 'selection_member');
