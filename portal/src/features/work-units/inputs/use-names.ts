import { useMemo } from 'react';
import { useTenants, useWorkUnitTypes } from '../../../api/lookups.ts';
import type { NamesById } from './field-value.ts';
import { useCategories, useSubcategories } from './use-categories.ts';
import type { PanelWorkUnit } from '../work-unit.rules.ts';

/** Names of the rows that a unit refers to, as far as they are loaded. */
export function useNames(unit: PanelWorkUnit): NamesById {
  const { data: tenants } = useTenants();
  const { data: types } = useWorkUnitTypes();
  const { data: categories } = useCategories();
  const { data: subcategories } = useSubcategories();
  const { tenantId, tenant, protocolId, protocol } = unit;
  return useMemo(() => {
    const names: Record<string, string> = {};
    const add = (id: unknown, name: string | undefined) => {
      if (name !== undefined) names[String(id)] = name;
    };
    for (const one of tenants ?? []) add(one.tenantId, one.name);
    for (const one of types ?? []) add(one.workUnitTypeId, one.name);
    for (const one of categories ?? []) add(one.workUnitCategoryId, one.name);
    for (const one of subcategories ?? []) add(one.workUnitSubcategoryId, one.name);
    add(tenantId, tenant?.name);
    add(protocolId, protocol?.name);
    return names;
  }, [tenants, types, categories, subcategories, tenantId, tenant, protocolId, protocol]);
}
