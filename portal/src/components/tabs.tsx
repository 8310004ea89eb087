import { useEffect, useRef, type KeyboardEvent, type ReactNode } from 'react';
import './tabs.css';

export interface TabItem {
  id: string;
  label: string;
  count?: number | undefined;
  /** The number of problems in the tab, and the same in words. */
  problems?: { count: number; label: string } | undefined;
}

/** A tab list; the panel it controls has the id `{idBase}-panel`. Arrows, Home and End move. */
export function Tabs({
  items,
  value,
  onChange,
  label,
  idBase,
}: {
  items: readonly TabItem[];
  value: string;
  onChange: (id: string) => void;
  label: string;
  idBase: string;
}) {
  const list = useRef<HTMLDivElement>(null);
  // Scrolls the selected tab into view: on a phone it may be beyond the edge, and counts that load later push it there.
  const counts = items.map((item) => item.count).join();
  useEffect(() => {
    const chosen = list.current?.querySelector<HTMLElement>('[aria-selected="true"]');
    if (chosen && list.current) list.current.scrollLeft = chosen.offsetLeft - (list.current.clientWidth - chosen.offsetWidth) / 2;
  }, [value, counts]);
  const move = (event: KeyboardEvent<HTMLDivElement>) => {
    const at = items.findIndex((item) => item.id === value);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: items.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = items[(to + items.length) % items.length];
    if (!next) return;
    onChange(next.id);
    document.getElementById(`${idBase}-${next.id}`)?.focus();
  };
  return (
    <div ref={list} className="tabs" role="tablist" aria-label={label} onKeyDown={move}>
      {items.map((item) => (
        <button
          key={item.id}
          id={`${idBase}-${item.id}`}
          type="button"
          role="tab"
          aria-selected={item.id === value}
          {...(item.id === value ? { 'aria-controls': `${idBase}-panel` } : {})}
          tabIndex={item.id === value ? 0 : -1}
          onClick={() => onChange(item.id)}
        >
          {item.label}
          {item.count !== undefined && item.count > 0 && <span className="badge">{item.count}</span>}
          {item.problems && item.problems.count > 0 && (
            <span className="badge danger" title={item.problems.label}>
              <span aria-hidden>{item.problems.count}</span>
              <span className="visually-hidden">{item.problems.label}</span>
            </span>
          )}
        </button>
      ))}
    </div>
  );
}

interface TabPartProps {
  idBase: string;
  id: string;
  /** Key of the open tab. */
  tab: string;
  children: ReactNode;
}

/** The content of a tab in the body of a panel. It stays mounted when another tab opens, so that typed text is not lost. */
export function TabPart({ idBase, id, tab, children }: TabPartProps) {
  return (
    <div
      className="body"
      hidden={tab !== id}
      {...(tab === id ? { role: 'tabpanel', id: `${idBase}-panel`, 'aria-labelledby': `${idBase}-${id}`, tabIndex: 0 } : {})}
    >
      {children}
    </div>
  );
}
