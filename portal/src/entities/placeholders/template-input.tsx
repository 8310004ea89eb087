/** A text field with placeholders: typing `{`, or the button, lists the placeholders that it may contain. */
import { useId, useMemo, useRef, useState, type ComponentPropsWithRef, type KeyboardEvent } from 'react';
import { listTenantSecrets } from '@cloudfit/contract/calls.ts';
import { placeholderTexts as t } from '@cloudfit/contract/messages/placeholder.en.ts';
import { tenantSecrets } from '@cloudfit/contract/resources/tenant-secrets.ts';
import { unknownNames } from '@cloudfit/contract/rules/placeholders.ts';
import { useCall } from '../../api/call.ts';
import { useMay } from '../../api/lookups.ts';
import { IconButton } from '../../components/button.tsx';
import type { InputProps } from '../../forms/form-types.ts';
import { useReadings } from '../packets/use-readings.ts';
import { endOfName, openNameAt, type OpenName } from './open-name.ts';
import type * as ListParts from './placeholder-list.tsx';
import { typeOver } from './type-over.ts';
import { UnknownNames } from './unknown-names.tsx';
import './placeholders.css';

let loaded: typeof ListParts | undefined;
const loadList = async () => (loaded ??= await import('./placeholder-list.tsx'));

/** The names of the secrets of a tenant that the person may use; empty without a tenant. */
function useSecretNames(tenantId: string | null): readonly string[] {
  const mayName = useMay()('Tenants', 'edit');
  const { data } = useCall(
    listTenantSecrets,
    { id: tenantId ?? '' },
    {
      refreshedBy: tenantSecrets.name,
      enabled: mayName && tenantId !== null,
      staleTime: 60_000,
    },
  );
  return useMemo(() => data?.value.map(({ name }) => name) ?? [], [data]);
}

type TextControl = HTMLInputElement & HTMLTextAreaElement;

interface TemplateInputProps extends Pick<InputProps, 'field' | 'value' | 'onChange' | 'onBlur' | 'disabled' | 'aria'> {
  values: { readonly tenantId?: unknown };
  /** Further known names: the parameters of the action. */
  ownNames?: readonly string[];
  /** The number of lines; a field of one line has none. */
  rows?: number;
  className?: string;
  /** False if the value of a secret would be stored as plain text; no secrets are offered then. */
  mayHaveSecrets?: boolean;
  /** False for the texts of a work unit that does not exist yet; its placeholders are not offered. */
  hasUnit?: boolean;
  /** Shown instead of the text, which is then read-only. */
  shown?: string | undefined;
  onFocus?: () => void;
}

export function TemplateInput(props: TemplateInputProps) {
  const { field, value, onChange, onBlur, disabled, aria, values, ownNames = [], rows, className = '', shown, onFocus } = props;
  const { mayHaveSecrets = true, hasUnit = true } = props;
  const list = useId();
  const notes = useId();
  const hint = useId();
  const control = useRef<TextControl>(null);
  const lastCaret = useRef<number>(undefined);
  const [parts, setParts] = useState(loaded);
  const [open, setOpen] = useState<OpenName & { byButton: boolean }>();
  const [active, setActive] = useState(-1);
  const text = typeof value === 'string' ? value : '';
  const tenantId = typeof values.tenantId === 'string' ? values.tenantId : null;
  const readings = useReadings(open ? tenantId : null);
  const secrets = useSecretNames(open && mayHaveSecrets ? tenantId : null);
  const isOpen = open !== undefined && parts !== undefined;
  const options = isOpen ? parts.optionsFor(open.typed, { ownNames, secrets, readings, hasUnit }) : [];
  const isReadOnly = disabled || shown !== undefined;

  const write = (next: string) => onChange(next === '' && field.nullable ? null : next);
  const close = () => setOpen(undefined);
  /** Opens the list for the placeholder at the caret, or closes it. */
  const follow = (next: string, caret: number, byButton = false) => {
    const name = openNameAt(next, caret);
    setOpen(name && { ...name, byButton });
    // After a brace alone, no option is active, so that Enter inserts a new line.
    setActive(name && name.typed !== '' ? 0 : -1);
  };
  const replace = (from: number, to: number, typed: string) => {
    if (control.current) typeOver(control.current, from, to, typed);
  };
  const choose = (option: ListParts.PlaceholderOption) => {
    if (open) replace(open.from, endOfName(text, open), option.text);
  };
  const insertBrace = () => {
    const at = lastCaret.current ?? text.length;
    void loadList().then(setParts);
    replace(at, at, '{');
    follow(`${text.slice(0, at)}{`, at + 1, true);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!open || !isOpen) return;
    const { key } = event;
    const option = options[active];
    if (key === 'Escape') {
      // Removes the brace that the button inserted, if nothing was typed after it.
      if (open.byButton && open.typed === '') replace(open.from, open.from + 1, '');
      close();
    } else if (key === 'ArrowDown') setActive((active + 1) % Math.max(1, options.length));
    else if (key === 'ArrowUp') setActive(active <= 0 ? options.length - 1 : active - 1);
    else if ((key === 'Enter' || key === 'Tab') && option) choose(option);
    else return;
    event.preventDefault();
  };

  const hasUnknown = !isReadOnly && unknownNames(text, ownNames).length > 0;
  const described = [aria['aria-describedby'], !isReadOnly && hint, hasUnknown && notes].filter(Boolean).join(' ');
  const shared: ComponentPropsWithRef<'input'> & ComponentPropsWithRef<'textarea'> = {
    ...aria,
    ...(described ? { 'aria-describedby': described } : {}),
    ...(isReadOnly ? {} : { 'aria-autocomplete': 'list' as const, 'aria-haspopup': 'listbox' as const }),
    ...(isOpen ? { 'aria-controls': list } : {}),
    ...(isOpen && active >= 0 && options[active] ? { 'aria-activedescendant': parts.optionId(list, active) } : {}),
    ref: control,
    spellCheck: false,
    value: shown ?? text,
    maxLength: field.max,
    readOnly: isReadOnly,
    autoComplete: 'off',
    onKeyDown,
    onFocus: () => {
      void loadList().then(setParts);
      onFocus?.();
    },
    onSelect: (event) => (lastCaret.current = event.currentTarget.selectionStart ?? undefined),
    onClick: close,
    onBlur: () => {
      close();
      onBlur();
    },
    onChange: (event) => {
      write(event.target.value);
      follow(event.target.value, event.target.selectionStart ?? event.target.value.length);
    },
  };
  return (
    <>
      <div className="template">
        {rows === undefined ? (
          <input
            className={`input ${className}`}
            type="text"
            {...(isReadOnly ? {} : { role: 'combobox', 'aria-expanded': isOpen })}
            {...shared}
          />
        ) : (
          <textarea className={`input area ${className}`} rows={rows} {...shared} />
        )}
        {!disabled && (
          <IconButton
            icon="braces"
            small
            label={t.insert}
            // Not in the tab order, because the key { does the same.
            tabIndex={-1}
            onMouseDown={(event) => event.preventDefault()}
            onClick={insertBrace}
          />
        )}
        {isOpen && <parts.PlaceholderList id={list} options={options} typed={open.typed} active={active} onChoose={choose} />}
      </div>
      {!isReadOnly && (
        <span id={hint} hidden>
          {t.hint}
        </span>
      )}
      <UnknownNames
        id={notes}
        text={text}
        ownNames={ownNames}
        onChange={isReadOnly ? undefined : (next) => replace(0, text.length, next)}
      />
    </>
  );
}
