/** The form of a unit. Its fields depend on the chosen type and tenant, and on the person's permissions. */
import { useMemo, useState } from 'react';
import type { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { useMay } from '../../../api/lookups.ts';
import { useResourceForm, type ResourceFormState } from '../../../forms/use-resource-form.ts';
import type { FormValues } from '../../../rows/row.ts';
import { useCustomFields } from '../inputs/use-custom-fields.ts';
import type { PanelWorkUnit } from '../work-unit.rules.ts';
import { workUnitLayout } from './work-unit-form.ts';

interface UnitFormOptions {
  /** The unit as it is saved; undefined while it is being created. */
  unit: PanelWorkUnit | undefined;
  /** First values of a new unit. */
  start?: FormValues<typeof workUnits>;
  readOnly?: boolean;
}

/** The fields that the layout depends on; the category is watched because its subcategories depend on it. */
const watched = ['workUnitTypeId', 'tenantId', 'isApproverRequired', 'workUnitCategoryId'] as const;

export function useUnitForm({ unit, start, readOnly = false }: UnitFormOptions): ResourceFormState<typeof workUnits> {
  const may = useMay();
  const isSaved = unit !== undefined;
  const first: FormValues<typeof workUnits> = unit ?? start ?? {};
  const [shape, setShape] = useState({
    type: Number(first.workUnitTypeId),
    tenantId: String(first.tenantId ?? ''),
    needsApprover2: first.isApproverRequired !== false,
  });
  const custom = useCustomFields(shape.tenantId, unit);
  const withProtocol = may('WorkUnits.Protocols', 'view');
  const withCategories = may('WorkUnits.Categories', 'view');
  const layout = useMemo(
    () =>
      workUnitLayout({
        type: shape.type,
        needsApprover2: shape.needsApprover2,
        isSaved,
        custom: custom.names,
        without: [
          ...(withProtocol ? [] : (['protocolId'] as const)),
          ...(withCategories ? [] : (['workUnitCategoryId', 'workUnitSubcategoryId'] as const)),
        ],
      }),
    [shape, custom, withProtocol, withCategories, isSaved],
  );
  const state = useResourceForm({
    resource: custom.resource,
    mode: unit ? 'edit' : 'create',
    row: unit,
    layout,
    readOnly,
    ...(start ? { start } : {}),
  });
  const [type, tenantId, needs] = state.form.watch(watched);
  const next = { type: Number(type) || shape.type, tenantId: String(tenantId ?? ''), needsApprover2: needs !== false };
  if (next.type !== shape.type || next.tenantId !== shape.tenantId || next.needsApprover2 !== shape.needsApprover2) setShape(next);
  return state;
}
