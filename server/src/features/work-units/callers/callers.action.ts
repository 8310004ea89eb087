/** Recognizes who calls by the phone numbers and email addresses of earlier work units. */
import { callersBy, type RecognizedCaller } from '@cloudfit/contract/actions/work-units/callers.ts';
import { digitsOf, minPhoneDigits } from '@cloudfit/contract/phones.ts';
import { workUnitType } from '@cloudfit/contract/enums.ts';
import { and, eq, or, searchFilter } from '@cloudfit/contract/query/build.ts';
import { queryText } from '@cloudfit/contract/query/query-string.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { implement, type ImplementedAction } from '../../../resources/action.ts';
import { list } from '../../../resources/list.ts';
import { isEnded, type WorkUnitRow } from '../state.rules.ts';
import { servedWorkUnits } from '../work-units.served.ts';

const maxLooked = 100;
const maxOpen = 10;
/** So many last digits of two numbers are compared, because country codes are often left out. */
const comparedDigits = 8;

/** The digits that are compared; undefined for too few of them. */
function comparedOf(phone: string | null): string | undefined {
  const digits = digitsOf(phone ?? '').replace(/^0+/, '');
  return digits.length < minPhoneDigits ? undefined : digits.slice(-comparedDigits);
}

function isSamePhone(a: string | undefined, b: string | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  return a.endsWith(b) || b.endsWith(a);
}

type CallerUnit = Pick<
  WorkUnitRow,
  | 'workUnitId'
  | 'publicWorkUnitId'
  | 'title'
  | 'severityId'
  | 'stateId'
  | 'created'
  | 'tenantId'
  | 'workUnitTypeId'
  | 'workUnitCategoryId'
  | 'stakeHolderFullName'
  | 'stakeHolderPhoneNumber'
  | 'stakeHolderEmailAddress'
>;

const first = (units: readonly CallerUnit[], name: 'stakeHolderFullName' | 'stakeHolderPhoneNumber' | 'stakeHolderEmailAddress'): string =>
  units.map((unit) => unit[name]?.trim()).find(Boolean) ?? '';

/** The id that most of the units have; of several the one of the newest unit. */
function usualCategory(units: readonly CallerUnit[]): string | undefined {
  const counts = new Map<string, number>();
  for (const { workUnitCategoryId: id, workUnitTypeId } of units)
    if (id && workUnitTypeId === workUnitType.incident) counts.set(id, (counts.get(id) ?? 0) + 1);
  return [...counts].toSorted((a, b) => b[1] - a[1])[0]?.[0];
}

const callers = implement(callersBy, async (ctx, { phone, email }) => {
  const digits = comparedOf(phone);
  const address = email.trim().toLowerCase();
  const texts = [digits, address.includes('@') ? `"${address.replaceAll('"', '')}"` : undefined].filter((text) => text !== undefined);
  if (texts.length === 0) return { value: [] };
  const filter = and(eq(workUnits, 'isSpamCall', false), or(...texts.map((text) => searchFilter(workUnits, text))));
  const { value } = await list(ctx, servedWorkUnits, queryText({ filter, orderBy: 'created desc', top: maxLooked }), {
    select: [
      'workUnitId',
      'publicWorkUnitId',
      'title',
      'severityId',
      'stateId',
      'created',
      'tenantId',
      'workUnitTypeId',
      'workUnitCategoryId',
      'stakeHolderFullName',
      'stakeHolderPhoneNumber',
      'stakeHolderEmailAddress',
    ],
  });
  // The search finds the digits in any text of the unit.
  const theirs = value.filter(
    (unit) =>
      isSamePhone(comparedOf(unit.stakeHolderPhoneNumber), digits) ||
      (address !== '' && unit.stakeHolderEmailAddress?.trim().toLowerCase() === address),
  );
  const byTenant = Map.groupBy(theirs, ({ tenantId }) => tenantId);
  const categories = [...byTenant.values()].flatMap((units) => usualCategory(units) ?? []);
  const names = await ctx.db.query<{ id: string; name: string; kind: string }>({
    name: 'callers-names',
    text: `select tenant_id::text as id, name, 'tenant' as kind from tenant where tenant_id = any($1::uuid[])
union all select work_unit_category_id::text, name, 'category' from work_unit_category where work_unit_category_id = any($2::uuid[]) and is_enabled`,
    values: [[...byTenant.keys()], categories],
  });
  return {
    value: [...byTenant].map(([tenantId, units]): RecognizedCaller => {
      const category = names.find(({ id, kind }) => kind === 'category' && id === usualCategory(units));
      return {
        tenantId,
        tenant: names.find(({ id }) => id === tenantId)?.name ?? '',
        name: first(units, 'stakeHolderFullName'),
        phone: first(units, 'stakeHolderPhoneNumber'),
        email: first(units, 'stakeHolderEmailAddress'),
        category: category ? { id: category.id, name: category.name } : null,
        open: units
          .filter(({ stateId }) => !isEnded(stateId))
          .slice(0, maxOpen)
          .map(({ workUnitId, publicWorkUnitId, title, severityId, stateId, created }) => ({
            workUnitId,
            publicWorkUnitId,
            title,
            severityId,
            stateId,
            created,
          })),
      };
    }),
  };
});

export const callerActions: readonly ImplementedAction[] = [callers];
