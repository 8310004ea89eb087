import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react';
import { en } from '@cloudfit/contract/messages/en.ts';
import { IconButton } from './button.tsx';
import './search-box.css';
import { Checkbox } from './fields/checkbox.tsx';

/** What can follow the typed text: the word as it is shown, and the whole text with it. */
export interface SearchCompletion {
  label: string;
  text: string;
  hint?: string;
}

/** A language of the search, such as operators, which is read as a whole. */
export interface SearchLanguage {
  label: string;
  /** Whether the text is in the language, so that it is not searched for while it is typed. */
  isIn: (text: string) => boolean;
  /** Does what the text says. Returns what is wrong, or what of the text remains. */
  run: (text: string) => Promise<{ problem: string } | { rest: string }>;
  completions: readonly SearchCompletion[];
  /** Called with each typed text, for which `completions` are asked. */
  onType: (text: string) => void;
}

interface SearchBoxProps {
  label: string;
  value: string;
  exact: boolean;
  onSearch: (text: string, exact: boolean) => void;
  /** Searches automatically this long after the last key; Enter and the button search at once. */
  debounceMs: number;
  withExact?: boolean;
  language?: SearchLanguage;
}

/** The grid's search: while typing, on Enter, or by its button. `/` focuses it, the down arrow leaves it for the first row. */
export function SearchBox({ label, value, exact, onSearch, debounceMs, withExact = true, language }: SearchBoxProps) {
  const [text, setText] = useState(value);
  const [lastValue, setLastValue] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const id = useId();
  /** Searched texts that are not in the address yet. When one arrives, it must not overwrite text that was typed since. */
  const [sent, setSent] = useState<readonly string[]>([]);
  // Takes the text of the address when a link or the back button changes it, but not when the address only repeats what was
  // typed here.
  if (lastValue !== value) {
    setLastValue(value);
    const at = sent.indexOf(value);
    setSent(at < 0 ? [] : sent.slice(at + 1));
    if (at < 0 && value !== text.trim()) setText(value);
  }
  useEffect(() => () => clearTimeout(timer.current), []);
  const run = (next: string, isExact = exact) => {
    clearTimeout(timer.current);
    const goal = next.trim();
    const isNew = goal !== (sent.at(-1) ?? value);
    if (isNew) setSent([...sent, goal]);
    if (isNew || isExact !== exact) onSearch(goal, isExact);
  };
  const [problem, setProblem] = useState<string>();
  const [completed, setCompleted] = useState(-1);
  const [isOpen, setOpen] = useState(false);
  const completions = isOpen && language ? language.completions : [];
  const typed = (next: string) => {
    setText(next);
    setProblem(undefined);
    setCompleted(-1);
    setOpen(true);
    language?.onType(next);
    clearTimeout(timer.current);
    if (!language?.isIn(next)) timer.current = setTimeout(() => run(next), debounceMs);
  };
  const submit = async () => {
    setOpen(false);
    if (!language?.isIn(text)) {
      run(text);
      return;
    }
    clearTimeout(timer.current);
    const done = await language.run(text);
    if ('problem' in done) setProblem(done.problem);
    else setText(done.rest);
  };
  /** Handles the keys of the completions. Returns whether the key was for them. */
  const complete = (event: KeyboardEvent): boolean => {
    const last = completions.length - 1;
    const at =
      event.key === 'ArrowDown' ? Math.min(completed + 1, last) : event.key === 'ArrowUp' ? Math.max(completed - 1, -1) : undefined;
    const chosen =
      event.key === 'Tab' && !event.shiftKey
        ? completions[Math.max(completed, 0)]
        : event.key === 'Enter'
          ? completions[completed]
          : undefined;
    if (completions.length === 0) return false;
    if (at !== undefined) setCompleted(at);
    else if (chosen) typed(chosen.text);
    else if (event.key === 'Escape') setOpen(false);
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  };
  return (
    <div className="search-line">
      <form
        className="search"
        role="search"
        aria-label={label}
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <input
          id={id}
          type="search"
          data-search
          value={text}
          placeholder={label}
          aria-label={label}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => typed(event.target.value)}
          {...(language
            ? {
                ...(completions.length > 0 ? { 'aria-controls': `${id}-completions` } : {}),
                'aria-autocomplete': 'list' as const,
                'aria-invalid': problem !== undefined,
                ...(completions[completed] ? { 'aria-activedescendant': `${id}-${completed}` } : {}),
                onBlur: () => setOpen(false),
              }
            : {})}
          onKeyDown={(event) => {
            if (complete(event)) return;
            if (event.key === 'Escape' && text) {
              event.stopPropagation();
              setText('');
              run('');
            }
            const firstRow = event.key === 'ArrowDown' && document.querySelector<HTMLElement>('main tr[data-row]');
            if (firstRow) {
              event.preventDefault();
              firstRow.focus();
            }
          }}
        />
        {text ? (
          <IconButton
            icon="close"
            small
            label={en.grid.clearSearch}
            onClick={() => {
              setText('');
              run('');
            }}
          />
        ) : (
          <kbd aria-hidden>/</kbd>
        )}
        <IconButton icon="search" small type="submit" label={en.grid.runSearch} />
        {completions.length > 0 && (
          <div className="completions" role="listbox" id={`${id}-completions`} aria-label={language?.label}>
            {completions.map((item, at) => (
              <div
                key={item.text}
                id={`${id}-${at}`}
                role="option"
                aria-selected={at === completed}
                onMouseDown={(event) => {
                  // The input keeps the focus.
                  event.preventDefault();
                  typed(item.text);
                }}
              >
                {item.label}
                {item.hint !== undefined && <small>{item.hint}</small>}
              </div>
            ))}
          </div>
        )}
        {problem !== undefined && (
          <div className="problem" role="alert">
            {problem}
          </div>
        )}
      </form>
      {withExact && (
        <Checkbox
          label={en.grid.exact}
          checked={exact}
          onChange={(checked) => {
            onSearch(text.trim(), checked);
          }}
        />
      )}
    </div>
  );
}
