/** The fields that a tenant adds to its work units: up to 15, each a text or a choice of its options. */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { readRow } from '../../../api/row-calls.ts';
import { customFieldTypes, tenants, type CustomFieldDefinition } from '@cloudfit/contract/resources/tenants.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { whenIdle } from '../../../api/when-idle.ts';
import type { PanelWorkUnit } from '../work-unit.rules.ts';

const resource = workUnits;
const slots = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] as const;
type CustomSlot = (typeof slots)[number];
const select = ['tenantId' as const, ...slots.map((slot) => `workUnitFieldDef${slot}` as const)];
const minutes = 60_000;

type Definitions = Pick<Row<typeof tenants>, `workUnitFieldDef${CustomSlot}`>;

/** Returns the definitions from the tenant in the unit, if the unit was loaded with all fields of its tenant. */
function definitionsIn(unit: PanelWorkUnit | undefined, tenantId: string): Definitions | undefined {
  const tenant = unit?.tenant;
  return tenant && 'workUnitFieldDef1' in tenant && tenant.tenantId === tenantId ? (tenant as typeof tenant & Definitions) : undefined;
}

/** The definitions of a tenant; prefetched with the unit that is about to be shown. */
export const definitionsQuery = (tenantId: string) => ({
  queryKey: [tenants.name, 'customFields', tenantId],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    readRow(tenants, tenantId, { select }, { signal, quiet: true, together: true }) as Promise<Definitions>,
  staleTime: 5 * minutes,
});

function useDefinitions(tenantId: string, unit: PanelWorkUnit | undefined) {
  const { queryFn, ...query } = definitionsQuery(tenantId);
  return useQuery({
    ...query,
    queryFn: (context) => whenIdle().then(() => queryFn(context)),
    // Shown at once but refetched, because its age is unknown.
    initialData: () => definitionsIn(unit, tenantId),
    initialDataUpdatedAt: 0,
    enabled: tenantId !== '',
  });
}

export interface CustomFields {
  /** Names of the fields that the form shows. */
  names: readonly `customValue${CustomSlot}`[];
  /** The declaration of work units as this tenant sees it. */
  resource: typeof workUnits;
}

function declared(base: typeof workUnits, name: `customValue${CustomSlot}`, definition: CustomFieldDefinition): typeof workUnits {
  const field = base.fields[name];
  const options = definition.Type === customFieldTypes.dropdown ? (definition.Options ?? '').split(',').map((option) => option.trim()) : [];
  const choices = options.filter(Boolean).map((option) => ({ value: option, label: option }));
  return {
    ...base,
    fields: {
      ...base.fields,
      [name]: { ...field, label: definition.Name, ...(choices.length > 0 ? { input: 'select' as const, choices } : {}) },
    },
  };
}

/** The fields that the tenant defines, and fields with a value whose definition was removed. */
export function useCustomFields(tenantId: string, unit: PanelWorkUnit | undefined): CustomFields {
  const { data } = useDefinitions(tenantId, unit);
  const filledSlots = slots.filter((slot) => unit?.[`customValue${slot}`]).join(',');
  return useMemo(() => {
    const names: `customValue${CustomSlot}`[] = [];
    let customResource: typeof workUnits = resource;
    for (const slot of slots) {
      const name = `customValue${slot}` as const;
      const definition = data?.[`workUnitFieldDef${slot}`];
      if (definition) customResource = declared(customResource, name, definition);
      if (definition || (data && filledSlots.split(',').includes(String(slot)))) names.push(name);
    }
    return { names, resource: customResource };
  }, [data, filledSlots]);
}
