/** All categories and subcategories that the person may see; the inputs choose those that fit the unit. */
import { useQuery } from '@tanstack/react-query';
import type { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { callJson } from '../../../api/client.ts';
import { useMay } from '../../../api/lookups.ts';
import { whenIdle } from '../../../api/when-idle.ts';
import type { InputProps } from '../../../forms/form-types.ts';
import type { FormValues } from '../../../rows/row.ts';

export interface UnitCategory {
  workUnitCategoryId: string;
  name: string;
  tenantId: string;
  workUnitTypeId: number;
  isEnabled: boolean;
}

export interface UnitSubcategory {
  workUnitSubcategoryId: string;
  name: string;
  workUnitCategoryId: string;
  isEnabled: boolean;
}

const minute = 60_000;

function useLookup<T>(resource: string, path: string, enabled: boolean) {
  return useQuery({
    queryKey: [resource, 'lookup'],
    // Choices load after the panel's content.
    queryFn: async ({ signal }) => {
      await whenIdle();
      return callJson<T[]>(path, { signal, quiet: true });
    },
    staleTime: minute,
    enabled,
  });
}

export function useCategories() {
  return useLookup<UnitCategory>('workUnitCategories', '/api/generallookup/workunitcatgories', useMay()('WorkUnits.Categories', 'view'));
}

export function useSubcategories() {
  return useLookup<UnitSubcategory>(
    'workUnitSubcategories',
    '/api/generallookup/workunitsubcatgories',
    useMay()('WorkUnits.Subcategories', 'view'),
  );
}

/** Clears category and subcategory after a change of the unit's type or tenant. */
export function leaveCategory(values: FormValues<typeof workUnits>, setValue: InputProps<typeof workUnits>['setValue']) {
  for (const name of ['workUnitCategoryId', 'workUnitSubcategoryId'] as const) if (values[name]) setValue(name, null);
}
