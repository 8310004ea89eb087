import { useState } from 'react';
import { actionCatalogTexts as t } from '@cloudfit/contract/messages/action-catalog.en.ts';
import type { InputProps } from '../../forms/form-types.ts';
import { UnknownNames } from './unknown-names.tsx';
import { maskedHeaders, secretHeaders } from './headers.ts';

/** One header per line. Secret values are hidden until somebody who may change them focuses the field. */
export function HeadersInput({ field, value, values, onChange, onBlur, disabled, aria }: InputProps) {
  const [entered, setEntered] = useState(false);
  const text = typeof value === 'string' ? value : '';
  const secrets = secretHeaders(text);
  const isHidden = secrets.length > 0 && (disabled || !entered);
  return (
    <>
      <textarea
        className={`input area code ${isHidden && !disabled ? 'hidden-text' : ''}`}
        rows={3}
        spellCheck={false}
        {...aria}
        value={isHidden ? maskedHeaders(text) : text}
        maxLength={field.max}
        // Typing and dropping are blocked while the text is hidden.
        readOnly={disabled || isHidden}
        onFocus={() => setEntered(true)}
        onBlur={() => {
          setEntered(false);
          onBlur();
        }}
        onChange={(event) => onChange(event.target.value === '' ? null : event.target.value)}
      />
      {secrets.length > 0 && !disabled && <span className="literal-secret">{t.literalSecret(secrets.join(', '))}</span>}
      <UnknownNames text={text} values={values} />
    </>
  );
}
