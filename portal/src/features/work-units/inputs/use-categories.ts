/** All categories and subcategories that the person may see; the inputs choose those that fit the unit. */
import { useQuery, type QueryClient } from '@tanstack/react-query';
import type { AnyCall, CallInput } from '@cloudfit/contract/call.ts';
import { categoryLookup, subcategoryLookup } from '@cloudfit/contract/calls.ts';
import type { Area, PermissionVerb } from '@cloudfit/contract/permissions.ts';
import type { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { callQuery } from '../../../api/call.ts';
import { useMay } from '../../../api/lookups.ts';
import { whenIdle } from '../../../api/when-idle.ts';
import type { InputProps } from '../../../forms/form-types.ts';
import type { FormValues } from '../../../rows/row.ts';

const minute = 60_000;

function choicesQuery<C extends AnyCall>(to: C, refreshedBy: string) {
  return { ...callQuery(to, {} as CallInput<C>, { refreshedBy, together: true }), staleTime: minute };
}

const categoriesQuery = choicesQuery(categoryLookup, 'workUnitCategories');
const subcategoriesQuery = choicesQuery(subcategoryLookup, 'workUnitSubcategories');

interface ChoicesQuery<T> {
  queryKey: readonly unknown[];
  queryFn: (context: { signal: AbortSignal }) => Promise<T>;
  staleTime: number;
}

function useLookup<T>({ queryFn, ...query }: ChoicesQuery<T>, enabled: boolean) {
  // Choices load after the panel's content.
  return useQuery({ ...query, queryFn: (context) => whenIdle().then(() => queryFn(context)), enabled });
}

export const useCategories = () => useLookup(categoriesQuery, useMay()('WorkUnits.Categories', 'view'));

export const useSubcategories = () => useLookup(subcategoriesQuery, useMay()('WorkUnits.Subcategories', 'view'));

/** Prefetches the categories, with the unit that is about to be shown. */
export function prefetchCategories(client: QueryClient, may: (area: Area, verb: PermissionVerb) => boolean): void {
  if (may('WorkUnits.Categories', 'view')) void client.prefetchQuery(categoriesQuery);
  if (may('WorkUnits.Subcategories', 'view')) void client.prefetchQuery(subcategoriesQuery);
}

/** Clears category and subcategory after a change of the unit's type or tenant. */
export function leaveCategory(values: FormValues<typeof workUnits>, setValue: InputProps<typeof workUnits>['setValue']) {
  for (const name of ['workUnitCategoryId', 'workUnitSubcategoryId'] as const) if (values[name]) setValue(name, null);
}
