import useAutocomplete, { createFilterOptions } from '@mui/material/useAutocomplete';
import { en } from '@cloudfit/contract/messages/en.ts';
import { IconButton } from './button.tsx';
import type { FieldAria } from './field.tsx';
import { Icon } from './icon.tsx';
import './combo-box.css';

export interface ComboChoice {
  value: string | number;
  label: string;
  hint?: string;
  /** Other words by which it is found. */
  words?: string;
}

const byWords = createFilterOptions<ComboChoice>({ stringify: ({ label, words }) => (words ? `${label} ${words}` : label) });

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
  /** The server has already filtered the choices. */
  filtered?: boolean;
  /** Typed text is a value too. */
  free?: boolean;
  aria: FieldAria;
}

/** A text field with a list of suggestions. */
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
  const box = useAutocomplete<ComboChoice, false, false, boolean>({
    id: aria.id,
    options: [...choices],
    value,
    disabled,
    openOnFocus: false,
    autoHighlight: !free,
    freeSolo: free,
    handleHomeEndKeys: true,
    getOptionLabel: (choice) => (typeof choice === 'string' ? choice : choice.label),
    getOptionKey: (choice) => (typeof choice === 'string' ? choice : choice.value),
    isOptionEqualToValue: (choice, other) => choice.value === (typeof other === 'string' ? other : other.value),
    filterOptions: filtered ? (all) => all : byWords,
    onChange: (_event, next) => onChange(typeof next === 'string' ? { value: next, label: next } : next),
    onInputChange: (_event, text, reason) => {
      if (reason === 'input') onType?.(text);
    },
    onOpen: () => onOpen?.(),
  });
  const input = box.getInputProps();
  const list = box.getListboxProps();
  const options = box.groupedOptions as ComboChoice[];
  return (
    <div className="combo" {...box.getRootProps()}>
      <input
        className="input"
        {...input}
        {...aria}
        placeholder={placeholder}
        disabled={disabled}
        onBlur={(event) => {
          const typed = event.target.value.trim();
          input.onBlur?.(event);
          if (free && typed !== (value?.label ?? '')) onChange(typed ? { value: typed, label: typed } : null);
          onBlur?.();
        }}
      />
      {!disabled &&
        (clearable && value ? (
          <IconButton icon="close" small label={en.common.clear} tabIndex={-1} onClick={() => onChange(null)} />
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
  );
}
