import { tokenTexts as t } from '@cloudfit/contract/messages/tokens.en.ts';
import { tokenScopes } from '@cloudfit/contract/resources/tokens.ts';
import type { InputProps } from '../../forms/form-types.ts';
import { Checkbox } from '../../components/fields/checkbox.tsx';

/** The scopes of a token, a checkbox each. */
export function ScopesInput({ field, value, onChange, onBlur, disabled, aria }: InputProps) {
  const chosen: readonly unknown[] = Array.isArray(value) ? value : [];
  return (
    <span className="token-scopes" role="group" aria-label={field.label} aria-describedby={aria['aria-describedby']}>
      {tokenScopes.map((scope, at) => (
        <Checkbox
          key={scope}
          label={t.scopeNames[scope]}
          aria-label={t.scopeNames[scope]}
          {...(at === 0 ? { id: aria.id } : {})}
          checked={chosen.includes(scope)}
          disabled={disabled}
          onBlur={onBlur}
          onChange={(checked) =>
            onChange(tokenScopes.filter((tokenScope) => (tokenScope === scope ? checked : chosen.includes(tokenScope))))
          }
        />
      ))}
    </span>
  );
}
