import { blockColors } from '@cloudfit/contract/enums.ts';
import { blockTexts as t } from '@cloudfit/contract/messages/blocks.en.ts';
import type { InputProps } from '../../forms/form-types.ts';

const colorOf = (value: unknown) => (value as { color?: string } | null | undefined)?.color;

/** One of the block colours, by swatch and name. */
export function ColorInput({ field, value, onChange, onBlur, disabled, aria }: InputProps) {
  const chosen = colorOf(value);
  return (
    <div className="color-input" role="radiogroup" aria-label={field.label} id={aria.id}>
      {blockColors.map((color) => (
        <label key={color} className="color-choice" data-color={color}>
          <input
            type="radio"
            className="visually-hidden"
            name={aria.id}
            value={color}
            checked={chosen === color}
            disabled={disabled}
            onBlur={onBlur}
            onChange={() => onChange({ color })}
          />
          {t.colors[color]}
        </label>
      ))}
    </div>
  );
}
