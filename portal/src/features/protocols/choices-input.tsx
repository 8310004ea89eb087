import { protocolTexts } from '@cloudfit/contract/messages/protocols.en.ts';
import { choiceText } from '@cloudfit/contract/messages/choices.en.ts';
import type { InputProps } from '../../forms/form-types.ts';

interface ChoicesInputProps extends Omit<InputProps, 'values' | 'row' | 'setValue'> {
  choices: readonly string[];
}

/** Chooses several of a few choices; none means all. */
export function ChoicesInput({ value, onChange, disabled, aria, choices }: ChoicesInputProps) {
  const chosen = (value ?? []) as readonly string[];
  return (
    <span className="choices" role="group" aria-describedby={aria['aria-describedby']}>
      {choices.map((choice, at) => (
        <label key={choice} className="check">
          <input
            type="checkbox"
            {...(at === 0 ? { id: aria.id } : {})}
            aria-label={choiceText(choice)}
            checked={chosen.includes(choice)}
            disabled={disabled}
            // In the order of the choices, so that ticking back and forth changes nothing.
            onChange={(event) => onChange(choices.filter((item) => (item === choice ? event.target.checked : chosen.includes(item))))}
          />
          {choiceText(choice)}
        </label>
      ))}
      {chosen.length === 0 && <span className="faint">{protocolTexts.actions.allOfThem}</span>}
    </span>
  );
}
