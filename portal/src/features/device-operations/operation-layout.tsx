/** The form of a device operation without its parameters. */
import { frequencyTypes, runModes } from '@cloudfit/contract/enums.ts';
import { operationTexts } from '@cloudfit/contract/messages/device-operations.en.ts';
import { deviceOperations } from '@cloudfit/contract/resources/device-operations.ts';
import { inLanguage } from '@cloudfit/contract/resource.ts';
import type { FormLayout, InputProps } from '../../forms/form-types.ts';
import { inputs } from '../../forms/inputs.tsx';

const t = operationTexts.form;
const { fields } = deviceOperations;

/** People choose a run mode; the API has a flag for whether the operation is interactive. */
export const formResource = {
  ...deviceOperations,
  fields: { ...fields, isInteractive: { ...fields.isInteractive, label: t.runMode } },
};

const [system, interactive] = runModes;

function RunModeInput({ value, onChange, field, ...rest }: InputProps) {
  return (
    <inputs.select
      {...rest}
      field={{ ...field, choices: runModes.map(inLanguage) }}
      value={value === true ? interactive.value : system.value}
      onChange={(mode) => onChange(mode === interactive.value)}
    />
  );
}

/** `frequencies`: the ids of the frequency types that the operation allows (OPR-048). */
export function operationLayout(frequencies: readonly number[]): FormLayout<typeof formResource> {
  const choices = frequencyTypes.filter((type) => frequencies.includes(type.value)).map(inLanguage);
  return {
    sections: [
      { title: t.what, fields: ['label', 'referenceId'] },
      { title: t.runs, fields: ['frequencyTypeId', 'interval', 'isInteractive', 'enabled'] },
    ],
    inputs: {
      frequencyTypeId: (props) => <inputs.select {...props} field={{ ...props.field, choices }} />,
      isInteractive: RunModeInput,
    },
    help: { interval: t.intervalHelp, enabled: t.enabledHelp },
    requiredTexts: { frequencyTypeId: t.frequencyRequired, interval: t.intervalRequired },
  };
}
