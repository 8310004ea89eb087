import { useEffect, useId, useRef, useState } from 'react';
import { en } from '@cloudfit/contract/messages/en.ts';
import { IconButton } from './button.tsx';
import './search-box.css';
import { Checkbox } from './fields/checkbox.tsx';

interface SearchBoxProps {
  label: string;
  value: string;
  exact: boolean;
  onSearch: (text: string, exact: boolean) => void;
  /** Searches automatically this long after the last key; Enter and the button search at once. */
  debounceMs: number;
  withExact?: boolean;
}

/** The grid's search: while typing, on Enter, or by its button. `/` focuses it, the down arrow leaves it for the first row. */
export function SearchBox({ label, value, exact, onSearch, debounceMs, withExact = true }: SearchBoxProps) {
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
  const typed = (next: string) => {
    setText(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => run(next), debounceMs);
  };
  return (
    <div className="search-line">
      <form
        className="search"
        role="search"
        aria-label={label}
        onSubmit={(event) => {
          event.preventDefault();
          run(text);
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
          onKeyDown={(event) => {
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
