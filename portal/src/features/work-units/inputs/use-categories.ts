/** Categories and subcategories that a unit can have: those of its tenant and type, and of its category. */
import { useQuery } from '@tanstack/react-query';
import { callJson } from '../../../api/client.ts';
import { useMay } from '../../../api/lookups.ts';
import { whenIdle } from '../../../api/when-idle.ts';
import type { InputProps } from '../../../forms/form-types.ts';
import type { Values } from '../../../rows/row.ts';

export interface Category {
  workUnitCategoryId: string;
  name: string;
  tenantId: string;
  workUnitTypeId: number;
  isEnabled: boolean;
}

export interface Subcategory {
  workUnitSubcategoryId: string;
  name: string;
  workUnitCategoryId: string;
  isEnabled: boolean;
}

const minute = 60_000;

function useLookup<T>(resource: string, path: string, enabled: boolean) {
  return useQuery({
    queryKey: [resource, 'lookup'],
    // Choices come after what the panel shows at once.
    queryFn: async ({ signal }) => {
      await whenIdle();
      return callJson<T[]>(path, { signal, quiet: true });
    },
    staleTime: minute,
    enabled,
  });
}

export function useCategories() {
  return useLookup<Category>('workUnitCategories', '/api/generallookup/workunitcatgories', useMay()('WorkUnits.Categories', 'view'));
}

export function useSubcategories() {
  return useLookup<Subcategory>(
    'workUnitSubcategories',
    '/api/generallookup/workunitsubcatgories',
    useMay()('WorkUnits.Subcategories', 'view'),
  );
}

/** Empties what no longer fits when the type or the tenant of the unit is another. */
export function leaveCategory(values: Values, setValue: InputProps['setValue']) {
  for (const name of ['workUnitCategoryId', 'workUnitSubcategoryId']) if (values[name]) setValue(name, null);
}
