/** Menus, popovers, dialogs and the drawer: their code comes with the first one that opens, or sooner when a pointer nears it. */
import { lazy, Suspense, type ReactNode } from 'react';
import type { IconName } from './icon.tsx';

export interface MenuEntry {
  id: string;
  label: string;
  icon?: IconName | undefined;
  disabled?: boolean | undefined;
  danger?: boolean | undefined;
  /** Given for an entry that is on or off. */
  checked?: boolean | undefined;
  /** A line above the entry. */
  divided?: boolean | undefined;
  run: () => void;
}

export interface MenuProps { id?: string; anchor: HTMLElement; label: string; entries: readonly MenuEntry[]; onClose: () => void }
export interface PopProps { anchor: HTMLElement; label: string; alignEnd?: boolean; onClose: () => void; children: ReactNode }
export interface DialogProps { title: string; width?: 'xs' | 'sm' | 'md'; actions: ReactNode; onClose: () => void; children: ReactNode }
export interface DrawerProps { label: string; onClose: () => void; children: ReactNode }

export const loadFloating = () => import('./floating-parts.tsx');

/** For buttons that open something: the code is there by the time of the click. */
export const nearing = { onPointerEnter: () => void loadFloating(), onFocus: () => void loadFloating() };

const MenuPart = lazy(() => loadFloating().then((parts) => ({ default: parts.MenuPart })));
const PopPart = lazy(() => loadFloating().then((parts) => ({ default: parts.PopPart })));
const DialogPart = lazy(() => loadFloating().then((parts) => ({ default: parts.DialogPart })));
const DrawerPart = lazy(() => loadFloating().then((parts) => ({ default: parts.DrawerPart })));

export function PopupMenu(props: MenuProps) {
  return <Suspense fallback={null}><MenuPart {...props} /></Suspense>;
}

export function Pop(props: PopProps) {
  return <Suspense fallback={null}><PopPart {...props} /></Suspense>;
}

export function Dialog(props: DialogProps) {
  return <Suspense fallback={null}><DialogPart {...props} /></Suspense>;
}

export function TemporaryDrawer(props: DrawerProps) {
  return <Suspense fallback={null}><DrawerPart {...props} /></Suspense>;
}
