import { useState } from 'react';
import { actionCatalogTexts as t } from '@cloudfit/contract/messages/action-catalog.en.ts';
import type { actionDefinitions } from '@cloudfit/contract/resources/action-definitions.ts';
import type { InputProps } from '../../forms/form-types.ts';
import { TemplateInput } from '../../entities/placeholders/template-input.tsx';
import { maskedHeaders, secretHeaders } from './headers.ts';
import { ownNames } from './own-names.ts';

/** One header per line. Secret values are hidden until somebody who may change them focuses the field. */
export function HeadersInput(props: InputProps<typeof actionDefinitions>) {
  const { value, values, onBlur, disabled } = props;
  const [entered, setEntered] = useState(false);
  const text = typeof value === 'string' ? value : '';
  const secrets = secretHeaders(text);
  const isHidden = secrets.length > 0 && (disabled || !entered);
  return (
    <>
      <TemplateInput
        {...props}
        ownNames={ownNames(values)}
        rows={3}
        className={`code ${isHidden && !disabled ? 'hidden-text' : ''}`}
        // While `shown` is set, the field shows this text instead of its value, and nobody can type or drop text.
        shown={isHidden ? maskedHeaders(text) : undefined}
        onFocus={() => setEntered(true)}
        onBlur={() => {
          setEntered(false);
          onBlur();
        }}
      />
      {secrets.length > 0 && !disabled && <span className="literal-secret">{t.literalSecret(secrets.join(', '))}</span>}
    </>
  );
}
