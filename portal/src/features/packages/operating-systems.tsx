/** The operating systems of a package: a bit sum, 0 for any. */
import { operatingSystems } from '@cloudfit/contract/enums.ts';
import { packageTexts as t } from '@cloudfit/contract/messages/packages.en.ts';
import type { InputProps } from '../../forms/form-types.ts';
import { Checkbox } from '../../components/fields/checkbox.tsx';

const systems = operatingSystems.filter((system) => system.value !== 0);
const isIn = (sum: number, value: number) => Math.floor(sum / value) % 2 === 1;

/** Returns the values of the operating systems in the bit sum; an empty list means that the package runs on any. */
export const systemsIn = (sum: number): readonly number[] => systems.map(({ value }) => value).filter((value) => isIn(sum, value));

export function systemsText(sum: unknown): string {
  const names = systems.filter((system) => isIn(Number(sum), system.value)).map((system) => system.label);
  return names.length === 0 ? t.anySystem : names.join(', ');
}

export function SystemsInput({ field, value, onChange, onBlur, disabled, aria }: InputProps) {
  const sum = Number(value);
  return (
    <span className="systems" role="group" aria-label={field.label} aria-describedby={aria['aria-describedby']}>
      {systems.map((system, at) => (
        <Checkbox
          key={system.value}
          label={system.label}
          aria-label={system.label}
          {...(at === 0 ? { id: aria.id } : {})}
          checked={isIn(sum, system.value)}
          disabled={disabled}
          onBlur={onBlur}
          onChange={(checked) => onChange(sum + (checked ? system.value : -system.value))}
        />
      ))}
    </span>
  );
}
