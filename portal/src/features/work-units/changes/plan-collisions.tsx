import { useWatch } from 'react-hook-form';
import { workUnitType } from '@cloudfit/contract/enums.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import type { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import type { ResourceFormState } from '../../../forms/use-resource-form.ts';
import { CollisionList } from './collisions.tsx';
import { useCollisions, type PlannedTime } from './use-collisions.ts';

const planned = ['affectedDevices', 'plannedStartTime', 'plannedFinishTime', 'tenantId', 'workUnitTypeId'] as const;

function Collisions({ plan, workUnitId }: { plan: PlannedTime; workUnitId: number | undefined }) {
  return <CollisionList plan={plan} collisions={useCollisions(plan, workUnitId)} />;
}

/** The collisions of the plan in the form. Those of the saved plan are in its card already. */
export function PlanCollisions({ state, workUnitId }: { state: ResourceFormState<typeof workUnits>; workUnitId?: number }) {
  const values = useWatch({ control: state.form.control }) as Partial<Row<typeof workUnits>>;
  const { dirtyFields } = state.form.formState;
  const { workUnitTypeId, tenantId, affectedDevices, plannedStartTime, plannedFinishTime } = values;
  if (workUnitTypeId !== workUnitType.changeRequest) return null;
  if (workUnitId !== undefined && !planned.some((name) => dirtyFields[name])) return null;
  return <Collisions plan={{ tenantId, affectedDevices, plannedStartTime, plannedFinishTime }} workUnitId={workUnitId} />;
}
