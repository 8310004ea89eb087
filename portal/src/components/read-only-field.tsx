import type { Choice } from '@cloudfit/contract/resource.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { CopyButton } from './copy-button.tsx';
import './read-only-field.css';

interface FieldLabel {
  label: string;
}

interface TextValue extends FieldLabel {
  kind: 'text';
  value: string | null;
}

/** Enumerations show the labels of their type (SHELL-072). */
interface EnumValue extends FieldLabel {
  kind: 'enum';
  value: string | number | null;
  choices: readonly Choice[];
}

export type ReadOnlyFieldProps = TextValue | EnumValue;

function textOf(props: ReadOnlyFieldProps): string {
  if (props.value === null || props.value === '') return '';
  if (props.kind === 'text') return props.value;
  const { choices, value } = props;
  return choices.find((choice) => choice.value === value)?.label ?? String(value);
}

/** A read-only value with a button that copies it. Must be inside a `dl`. */
export function ReadOnlyField(props: ReadOnlyFieldProps) {
  const text = textOf(props);
  return (
    <div className="read-only">
      <dt>{props.label}</dt>
      <dd>
        <span className="ellipsis" title={text}>
          {text || en.common.none}
        </span>
        {text && <CopyButton text={text} label={props.label} done={en.copy.readOnly} />}
      </dd>
    </div>
  );
}
