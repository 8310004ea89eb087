/** The choices of a reference: short lists come whole from the general lookups, long lists are searched on the server. */
import { useQuery } from '@tanstack/react-query';
import { and, contains, eq, or } from '@cloudfit/contract/query/build.ts';
import { referenceTo, type ReferencedResource } from '@cloudfit/contract/resources/references.ts';
import { locationLookup, subscriptionLookup, tenantLookup, workUnitTypeLookup } from '@cloudfit/contract/calls.ts';
import { call } from '../api/call.ts';
import { fetchUntyped } from './use-rows.ts';
import { type UntypedRow, titleOf } from './row.ts';

export interface RefChoice {
  value: string | number;
  label: string;
  tenantId?: string | null;
}

/** General lookups that everybody may read, also without the permission for the area of the rows. */
const lookups: Record<string, (signal: AbortSignal) => Promise<readonly object[]>> = {
  tenants: (signal) => call(tenantLookup, {}, { signal, quiet: true }),
  subscriptions: (signal) => call(subscriptionLookup, {}, { signal, quiet: true }),
  locations: (signal) => call(locationLookup, {}, { signal, quiet: true }),
  workUnitTypes: (signal) => call(workUnitTypeLookup, {}, { signal, quiet: true }),
};

const maxChoices = 25;

/** A filter for the rows of the tenant and global rows; undefined if no filter applies. */
function ofTenantOrGlobal(resource: ReferencedResource, tenantId: string): string | undefined {
  if (resource.fields['tenantId'] === undefined || tenantId === '') return undefined;
  const ofTenant = eq(resource, 'tenantId', tenantId);
  return resource.fields['tenantId'].nullable ? or(ofTenant, eq(resource, 'tenantId', null)) : ofTenant;
}

/** The choices of `ref` whose names contain the text; of a short list, all. */
export const loadChoices = (ref: string, search: string): Promise<RefChoice[]> => load(ref, search, '', new AbortController().signal);

async function load(ref: string, search: string, tenantId: string, signal: AbortSignal): Promise<RefChoice[]> {
  const resource = referenceTo(ref);
  const whole = await lookups[ref]?.(signal);
  const rows = whole
    ? (whole as readonly UntypedRow[])
    : (
        await fetchUntyped(
          resource.name,
          {
            filter: and(search ? contains(resource, resource.title, search) : undefined, ofTenantOrGlobal(resource, tenantId)),
            orderBy: `${resource.title} asc`,
            top: maxChoices,
          },
          signal,
        )
      ).rows;
  return rows.map((row) => ({
    value: row[resource.key] as string | number,
    label: titleOf(resource, row),
    ...('tenantId' in row && !resource.scopesRows ? { tenantId: row['tenantId'] as string | null } : {}),
  }));
}

/** The choices of `ref`: the rows of the form's tenant and global rows; without a tenant, all rows. */
export function useChoices(
  ref: string,
  { search = '', tenantId, enabled = true }: { search?: string; tenantId?: unknown; enabled?: boolean },
) {
  const isWhole = ref in lookups;
  const within = !isWhole && typeof tenantId === 'string' ? tenantId : '';
  const result = useQuery({
    queryKey: [ref, 'choices', isWhole ? '' : search, within],
    queryFn: ({ signal }) => load(ref, search, within, signal),
    staleTime: 60_000,
    enabled,
    placeholderData: (before) => before,
  });
  const all = result.data ?? [];
  const ofTenant =
    typeof tenantId === 'string' && tenantId
      ? all.filter((choice) => choice.tenantId === undefined || choice.tenantId === null || choice.tenantId === tenantId)
      : all;
  return { choices: ofTenant, isLoading: result.isLoading || result.isPlaceholderData };
}
