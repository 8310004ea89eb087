import { useWatch } from 'react-hook-form';
import { workUnitType } from '@cloudfit/contract/enums.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import type { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import type { ResourceFormState } from '../../../forms/use-resource-form.ts';
import { Collisions } from './collisions.tsx';

/** The collisions of the plan in the form. */
export function PlanCollisions({ state, workUnitId }: { state: ResourceFormState<typeof workUnits>; workUnitId?: number }) {
  const values = useWatch({ control: state.form.control }) as Partial<Row<typeof workUnits>>;
  const { workUnitTypeId, tenantId, affectedDevices, plannedStartTime, plannedFinishTime } = values;
  if (workUnitTypeId !== workUnitType.changeRequest) return null;
  return <Collisions plan={{ tenantId, affectedDevices, plannedStartTime, plannedFinishTime }} workUnitId={workUnitId} />;
}
