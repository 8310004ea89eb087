import { blockType } from '@cloudfit/contract/enums.ts';
import type { InputProps } from '../../forms/form-types.ts';
import { inputs } from '../../forms/inputs.tsx';

const Select = inputs.select;

/** The types that people may choose: a heartbeat block is created with its device (BLK-015). */
export function BlockTypeInput(props: InputProps) {
  const choices = (props.field.choices ?? []).filter((choice) => choice.value !== blockType.deviceHeartbeat);
  return <Select {...props} field={{ ...props.field, choices }} />;
}
