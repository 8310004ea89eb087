import { useTenants, useWorkUnitTypes } from '../../api/lookups.ts';
import type { Names } from './field-value.ts';
import { useCategories, useSubcategories } from './use-categories.ts';
import type { WorkUnit } from './work-unit.rules.ts';

/** Names of what a unit refers to, as far as the page knows them. */
export function useNames(unit: WorkUnit): Names {
  const { data: tenants = [] } = useTenants();
  const { data: types = [] } = useWorkUnitTypes();
  const { data: categories = [] } = useCategories();
  const { data: subcategories = [] } = useSubcategories();
  const known: [unknown, string | undefined][] = [
    ...tenants.map((one): [string, string] => [one.tenantId, one.name]),
    ...types.map((one): [number, string] => [one.workUnitTypeId, one.name]),
    ...categories.map((one): [string, string] => [one.workUnitCategoryId, one.name]),
    ...subcategories.map((one): [string, string] => [one.workUnitSubcategoryId, one.name]),
    [unit.tenantId, unit.tenant?.name],
    [unit.protocolId, unit.protocol?.name],
  ];
  return Object.fromEntries(known.filter(([, name]) => name !== undefined).map(([id, name]) => [String(id), String(name)]));
}
