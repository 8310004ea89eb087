import type { ComponentProps } from 'react';

export interface SelectChoice<V extends string | number = string> {
  value: V;
  label: string;
  disabled?: boolean | undefined;
}

type SelectProps<V extends string | number> = Omit<ComponentProps<'select'>, 'value' | 'onChange' | 'children'> & {
  choices: readonly SelectChoice<V>[];
  value: V | '';
  /** The text of a value that is not offered, such as one of a removed row. Without this text, such a value is not shown. */
  unlisted?: string | undefined;
} & (
    | { none?: undefined; onChange: (value: V) => void }
    | {
        /** The text of the first choice, whose value is empty. */
        none: string;
        onChange: (value: V | '') => void;
      }
  );

/** The browser's own control for one of a few choices. Its values have the type of the choices, numbers too. */
export function Select<V extends string | number>({ choices, value, unlisted, none, onChange, className, ...rest }: SelectProps<V>) {
  const isListed = (none !== undefined && value === '') || choices.some((choice) => choice.value === value);
  return (
    <select
      className={className === undefined ? 'input' : `input ${className}`}
      {...rest}
      value={value}
      onChange={(event) => {
        const chosen = choices.find((choice) => String(choice.value) === event.target.value);
        // Besides the choices there is only the empty value, of `none` or of an unlisted one.
        onChange(chosen ? chosen.value : ('' as V));
      }}
    >
      {none !== undefined && <option value="">{none}</option>}
      {unlisted !== undefined && !isListed && <option value={value}>{unlisted}</option>}
      {choices.map((choice) => (
        <option key={choice.value} value={choice.value} disabled={choice.disabled}>
          {choice.label}
        </option>
      ))}
    </select>
  );
}

/** Choices whose labels are the texts of their values. */
export function choicesOf<V extends string | number>(values: readonly V[], texts: Readonly<Record<V, string>>): SelectChoice<V>[] {
  return values.map((value) => ({ value, label: texts[value] }));
}
