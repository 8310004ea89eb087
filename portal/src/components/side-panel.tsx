import {
  useEffect,
  useEffectEvent,
  useId,
  useLayoutEffect,
  useRef,
  useState,
  type KeyboardEvent as ReactKeyboardEvent,
  type ReactNode,
} from 'react';
import { en } from '@cloudfit/contract/messages/en.ts';
import { IconButton } from './button.tsx';
import './side-panel.css';

interface SidePanelProps {
  title: string;
  /** Read aloud instead of the title, when the visible title is shorter. */
  label?: string | undefined;
  /** The line above the title. */
  meta?: ReactNode;
  /** Buttons beside the one that closes the panel. */
  tools?: ReactNode;
  /** Lines under the title. */
  underTitle?: ReactNode;
  tabs?: ReactNode;
  footer?: ReactNode;
  /** Whether the panel takes three quarters of the window's width instead of half. */
  wide?: boolean;
  /** Whether the panel takes all of the page except the menu. */
  full?: boolean;
  onClose: () => void;
  children: ReactNode;
}

/** The open panels, the topmost last: Escape closes only the topmost. */
const open: symbol[] = [];

/**
 * Keeps the focus in the panel when the focused element is removed or disabled, as a button is while its form is saved:
 * otherwise the focus falls to the start of the page. A press of the pointer elsewhere lets the focus go.
 */
function keepFocus(panel: HTMLElement): () => void {
  let last: Element | null = null;
  const onFocus = ({ target }: FocusEvent) => {
    last = target instanceof Element && panel.contains(target) ? target : null;
  };
  const onPointer = () => {
    last = null;
  };
  // Between two elements, no element has the focus. A field that shows its error at this moment must not get the focus back.
  const onLeave = ({ relatedTarget }: FocusEvent) => {
    if (relatedTarget) last = null;
  };
  const observer = new MutationObserver(() => {
    if (!last || document.activeElement !== document.body) return;
    if (!panel.contains(last)) panel.focus({ preventScroll: true });
    else if (last instanceof HTMLElement && !last.matches(':disabled')) last.focus({ preventScroll: true });
  });
  document.addEventListener('focusin', onFocus);
  document.addEventListener('focusout', onLeave, true);
  document.addEventListener('pointerdown', onPointer, true);
  observer.observe(panel, { childList: true, subtree: true, attributeFilter: ['disabled'] });
  return () => {
    document.removeEventListener('focusin', onFocus);
    document.removeEventListener('focusout', onLeave, true);
    document.removeEventListener('pointerdown', onPointer, true);
    observer.disconnect();
  };
}

/** At Ctrl Enter, presses the button that saves, unless the focused element has handled the key. */
function onSaveKey(event: ReactKeyboardEvent<HTMLDivElement>) {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.defaultPrevented) return;
  const save = event.currentTarget.querySelector<HTMLButtonElement>(':scope > .foot button[type="submit"]');
  if (!save) return;
  event.preventDefault();
  save.click();
}

/**
 * A panel at the right, beside the list, which stays usable. The panel takes the focus, unless a part of it has `autoFocus`.
 * Escape closes the panel, and the focus returns to the element that had it before.
 */
export function SidePanel({
  title,
  label,
  meta,
  tools,
  underTitle,
  tabs,
  footer,
  wide = false,
  full = false,
  onClose,
  children,
}: SidePanelProps) {
  const titleId = useId();
  const panel = useRef<HTMLDivElement>(null);
  const close = useEffectEvent(onClose);
  const [before] = useState(() => document.activeElement);

  useEffect(() => (panel.current ? keepFocus(panel.current) : undefined), []);
  // A layout effect runs in the commit that renders the panel. Before a passive effect, a pressed key would still go to the
  // list, and the focus would return to the wrong place.
  useLayoutEffect(() => {
    const element = panel.current;
    const isInside = element?.contains(document.activeElement);
    // If this panel replaces another one, such as the panel that said "loading", the other one has already returned the focus.
    const origin = isInside ? before : document.activeElement;
    if (!isInside) element?.focus({ preventScroll: true });
    return () => {
      if (
        origin instanceof HTMLElement &&
        origin.isConnected &&
        (document.activeElement === document.body || element?.contains(document.activeElement))
      )
        origin.focus({ preventScroll: true });
    };
  }, [before]);
  // Before the panel is painted: Escape closes it as soon as it is there.
  useLayoutEffect(() => {
    const me = Symbol('panel');
    open.push(me);
    const onKey = (event: KeyboardEvent) => {
      // Menus, dialogs and pickers handle Escape first.
      if (event.key !== 'Escape' || event.defaultPrevented || open.at(-1) !== me || document.querySelector('.MuiModal-root')) return;
      event.preventDefault();
      close();
    };
    document.addEventListener('keydown', onKey);
    return () => {
      document.removeEventListener('keydown', onKey);
      open.splice(open.indexOf(me), 1);
    };
  }, []);

  return (
    <div
      ref={panel}
      className={full ? 'side-panel as-page' : wide ? 'side-panel wide' : 'side-panel'}
      role="dialog"
      aria-modal="false"
      {...(label ? { 'aria-label': label } : { 'aria-labelledby': titleId })}
      tabIndex={-1}
      onKeyDown={onSaveKey}
    >
      <div className="head">
        <div className="meta">
          {meta ?? <h2 id={titleId}>{title}</h2>}
          <span className="grow" />
          {tools}
          <IconButton icon="close" small label={en.common.closePanel} onClick={onClose} />
        </div>
        {meta && <h2 id={titleId}>{title}</h2>}
        {underTitle}
        {tabs}
      </div>
      {children}
      {footer && <div className="foot">{footer}</div>}
    </div>
  );
}
