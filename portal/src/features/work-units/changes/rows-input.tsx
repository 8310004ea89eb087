/** The devices and rules of a change. */
import { changeTexts as t } from '@cloudfit/contract/messages/changes.en.ts';
import { devices } from '@cloudfit/contract/resources/devices.ts';
import { rules } from '@cloudfit/contract/resources/rules.ts';
import type { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { NamesOf, RowsInput } from '../../../entities/rows-input/rows-input.tsx';
import type { InputProps } from '../../../forms/form-types.ts';

import './changes.css';

export const DeviceNames = ({ ids }: { ids: readonly string[] }) => <NamesOf resource={devices} ids={ids} />;
export const RuleNames = ({ ids }: { ids: readonly string[] }) => <NamesOf resource={rules} ids={ids} />;

export function DevicesInput({ values, ...props }: InputProps<typeof workUnits>) {
  return <RowsInput {...props} tenantId={values.tenantId} resource={devices} addLabel={t.addDevice} noneText={t.noDevices} />;
}

export function RulesInput({ values, ...props }: InputProps<typeof workUnits>) {
  return <RowsInput {...props} tenantId={values.tenantId} resource={rules} addLabel={t.addRule} noneText={t.noRules} />;
}
