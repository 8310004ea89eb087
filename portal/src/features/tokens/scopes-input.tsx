import { tokenTexts as t } from '@cloudfit/contract/messages/tokens.en.ts';
import { tokenScopes } from '@cloudfit/contract/resources/tokens.ts';
import type { InputProps } from '../../forms/form-types.ts';

/** The scopes of a token, a checkbox each. */
export function ScopesInput({ field, value, onChange, onBlur, disabled, aria }: InputProps) {
  const chosen: readonly unknown[] = Array.isArray(value) ? value : [];
  return (
    <span className="token-scopes" role="group" aria-label={field.label} aria-describedby={aria['aria-describedby']}>
      {tokenScopes.map((scope, at) => (
        <label key={scope} className="check">
          <input
            type="checkbox"
            {...(at === 0 ? { id: aria.id } : {})}
            aria-label={t.scopeNames[scope]}
            checked={chosen.includes(scope)}
            disabled={disabled}
            onBlur={onBlur}
            onChange={(event) =>
              onChange(tokenScopes.filter((tokenScope) => (tokenScope === scope ? event.target.checked : chosen.includes(tokenScope))))
            }
          />
          {t.scopeNames[scope]}
        </label>
      ))}
    </span>
  );
}
