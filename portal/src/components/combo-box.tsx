import { useEffect, useEffectEvent, useState, type KeyboardEvent } from 'react';
import { flushSync } from 'react-dom';
import useAutocomplete, { createFilterOptions } from '@mui/material/useAutocomplete';
import { en } from '@cloudfit/contract/messages/en.ts';
import { IconButton } from './button.tsx';
import { afterPress, type FieldAria } from './field.tsx';
import { Icon } from './icon.tsx';
import './combo-box.css';

export interface ComboChoice {
  value: string | number;
  label: string;
  hint?: string;
  /** Other words by which a search finds the choice. */
  words?: string;
}

const byWords = createFilterOptions<ComboChoice>({ stringify: ({ label, words }) => (words ? `${label} ${words}` : label) });
/** While the server searches, filters the choices of the earlier search also by their hints, which the server searches, too. */
const byHint = createFilterOptions<ComboChoice>({ stringify: ({ label, hint, words }) => [label, hint, words].join(' ') });

const same = (one: string, other: string) => one.trim().toLowerCase() === other.trim().toLowerCase();

interface ComboBoxProps {
  choices: readonly ComboChoice[];
  value: ComboChoice | null;
  onChange: (value: ComboChoice | null) => void;
  onType?: (text: string) => void;
  onOpen?: () => void;
  onBlur?: () => void;
  disabled?: boolean;
  loading?: boolean;
  clearable?: boolean;
  placeholder?: string | undefined;
  /** Whether the server has already filtered the choices. */
  filtered?: boolean;
  /** Whether typed text that is no choice is a value, too. */
  free?: boolean;
  aria: FieldAria;
}

/**
 * A text field with a list of suggestions. Unless `free` is set, text that is no choice is reported at the field when the
 * field is left, and its form is not sent, so that the previous value is never saved instead. Outside a form such text is
 * dropped.
 */
export function ComboBox({
  choices,
  value,
  onChange,
  onType,
  onOpen,
  onBlur,
  disabled = false,
  loading = false,
  clearable = false,
  placeholder,
  filtered = false,
  free = false,
  aria,
}: ComboBoxProps) {
  const [typed, setTyped] = useState<string>();
  const [open, setOpen] = useState(false);
  const [isFocused, setIsFocused] = useState(false);
  const [isRefused, setIsRefused] = useState(false);
  /** The choice that the arrow keys have highlighted. */
  const [reached, setReached] = useState<ComboChoice>();
  const label = value?.label ?? '';
  const [shown, setShown] = useState(value?.value);
  if (shown !== value?.value) {
    setShown(value?.value);
    // The value was changed from outside, such as by discarding a change; text that is being typed takes precedence.
    if (!isFocused) forget();
  }
  const isPending = !disabled && !free && typed !== undefined && typed.trim() !== '' && !same(typed, label);

  function forget() {
    setTyped(undefined);
    setIsRefused(false);
  }
  const choose = (choice: ComboChoice | null) => {
    forget();
    onChange(choice);
  };

  const box = useAutocomplete<ComboChoice, false, false, boolean>({
    id: aria.id,
    options: [...choices],
    value,
    inputValue: typed ?? label,
    open,
    disabled,
    openOnFocus: false,
    autoHighlight: !free,
    freeSolo: free,
    handleHomeEndKeys: true,
    getOptionLabel: (choice) => (typeof choice === 'string' ? choice : choice.label),
    getOptionKey: (choice) => (typeof choice === 'string' ? choice : choice.value),
    isOptionEqualToValue: (choice, other) => choice.value === (typeof other === 'string' ? other : other.value),
    filterOptions: !filtered ? byWords : loading ? byHint : (all) => all,
    onChange: (_event, next, reason) => {
      // Keeps the emptied text, even where the owner of the field keeps the value until the next choice.
      if (reason === 'clear') onChange(null);
      else choose(typeof next === 'string' ? { value: next, label: next } : next);
    },
    onInputChange: (_event, text, reason) => {
      if (reason === 'selectOption') forget();
      if (reason !== 'input') return;
      setReached(undefined);
      setTyped(text);
      setIsRefused(false);
      onType?.(text);
    },
    onHighlightChange: (_event, choice, reason) => {
      setReached(reason === 'keyboard' ? (choice ?? undefined) : undefined);
    },
    onOpen: () => {
      setReached(undefined);
      setOpen(true);
      onOpen?.();
    },
    onClose: () => setOpen(false),
  });
  const input = box.getInputProps();
  const element = () => document.getElementById(aria.id) as HTMLInputElement | null;

  const refuse = () => {
    setIsRefused(true);
    element()?.focus();
  };
  const onSubmit = useEffectEvent((event: SubmitEvent) => {
    if (!isPending || event.target !== element()?.form) return;
    event.preventDefault();
    event.stopPropagation();
    refuse();
  });
  useEffect(() => {
    if (!isPending) return;
    // In the capture phase, so that it runs before the form's own handler.
    document.addEventListener('submit', onSubmit, true);
    return () => document.removeEventListener('submit', onSubmit, true);
  }, [isPending]);

  /** The choice that a save would take: the highlighted one, or the only one that matches the text. */
  const meant = (): ComboChoice | undefined => {
    if (open && reached && options.some((choice) => choice.value === reached.value)) return reached;
    if (!isPending) return undefined;
    const exact = options.filter((choice) => same(choice.label, typed));
    if (exact.length > 0) return exact.length === 1 ? exact[0] : undefined;
    return open && !loading && options.length === 1 ? options[0] : undefined;
  };
  const onKeyDown = (event: KeyboardEvent & { defaultMuiPrevented?: boolean }) => {
    if (event.key === 'Escape' && !box.popupOpen && isPending) {
      event.preventDefault();
      event.stopPropagation();
      forget();
    }
    if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
    const isSaving = event.ctrlKey || event.metaKey;
    const isChosen = !isSaving && box.popupOpen && options.length > 0;
    if (isChosen) return;
    if (isSaving) event.defaultMuiPrevented = true;
    const choice = isSaving ? meant() : undefined;
    if (isPending && !choice) {
      event.preventDefault();
      event.stopPropagation();
      refuse();
    } else if (isSaving)
      // The same key press saves the form, so the form must have the choice by then.
      flushSync(() => {
        setOpen(false);
        if (choice) choose(choice);
        else if (free && typed !== undefined && typed.trim() !== label)
          choose(typed.trim() ? { value: typed.trim(), label: typed.trim() } : null);
      });
  };
  const note = isRefused && isPending ? `${aria.id}-typed` : undefined;
  const list = box.getListboxProps();
  const options = box.groupedOptions as ComboChoice[];
  return (
    <>
      <div className="combo" {...box.getRootProps({ onKeyDown })}>
        <input
          className="input"
          {...input}
          {...aria}
          {...(note ? { 'aria-invalid': true, 'aria-describedby': note } : {})}
          placeholder={placeholder}
          disabled={disabled}
          onFocus={(event) => {
            setIsFocused(true);
            input.onFocus?.(event);
          }}
          onBlur={(event) => {
            const text = event.target.value.trim();
            input.onBlur?.(event);
            setIsFocused(false);
            const exact = isPending ? choices.filter((choice) => same(choice.label, text)) : [];
            if (free && text !== label) choose(text ? { value: text, label: text } : null);
            else if (exact.length === 1) choose(exact[0] ?? null);
            else if (isPending && event.target.form) afterPress(() => setIsRefused(true));
            else forget();
            onBlur?.();
          }}
        />
        {!disabled &&
          (clearable && value ? (
            <IconButton icon="close" small label={en.common.clear} tabIndex={-1} onClick={() => choose(null)} />
          ) : (
            <span className="btn small square quiet" aria-hidden style={{ pointerEvents: 'none' }}>
              <Icon name="down" />
            </span>
          ))}
        {box.popupOpen && (options.length > 0 || !free) && (
          <ul className="combo-list" {...list}>
            {options.map((choice, index) => {
              const { key: _key, ...option } = box.getOptionProps({ option: choice, index }) as ReturnType<typeof box.getOptionProps> & {
                key: unknown;
              };
              return (
                <li key={choice.value} {...option}>
                  <span className="ellipsis">{choice.label}</span>
                  {choice.hint && <small className="ellipsis">{choice.hint}</small>}
                </li>
              );
            })}
            {options.length === 0 && (
              <li className="none" role="option" aria-selected={false} aria-disabled>
                {loading ? en.auth.loading : en.common.noMatches}
              </li>
            )}
          </ul>
        )}
      </div>
      {note && (
        <div id={note} className="error" role="alert">
          {en.form.notChosen(typed?.trim() ?? '')}
        </div>
      )}
    </>
  );
}
