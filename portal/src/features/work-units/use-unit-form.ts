/** The form of a unit: its fields follow the type that is chosen in it. */
import { useState } from 'react';
import type { Resource } from '@cloudfit/contract/resource.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { useResourceForm, type ResourceFormState } from '../../resource/use-resource-form.ts';
import type { WorkUnit } from './work-unit.rules.ts';
import { workUnitLayout } from './work-unit-form.ts';

interface Options {
  /** The unit as it is saved; undefined while it is being created. */
  unit: WorkUnit | undefined;
  /** First values of a new unit. */
  start?: Readonly<Record<string, unknown>>;
  readOnly?: boolean;
}

export function useUnitForm({ unit, start, readOnly = false }: Options): ResourceFormState {
  const [type, setType] = useState(Number(unit?.workUnitTypeId ?? start?.['workUnitTypeId']));
  const state = useResourceForm({
    resource: workUnits as unknown as Resource,
    mode: unit ? 'edit' : 'create',
    row: unit,
    layout: workUnitLayout(type),
    readOnly,
    ...(start ? { start } : {}),
  });
  const watched = Number(state.form.watch('workUnitTypeId'));
  if (watched && watched !== type) setType(watched);
  return state;
}
