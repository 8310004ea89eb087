/** Props of menus, popovers, dialogs and the drawer. */
import type { ReactNode } from 'react';
import type { IconName } from '../icon.tsx';

/** The event of the document when the person has gone to another page, or back: what was open over the page before closes. */
export const pageLeft = 'page-left';

export interface MenuEntry {
  id: string;
  label: string;
  icon?: IconName | undefined;
  disabled?: boolean | undefined;
  danger?: boolean | undefined;
  /** Set for an entry that can be on or off. */
  checked?: boolean | undefined;
  /** A separator above the entry. */
  divided?: boolean | undefined;
  /** The letter or digit that chooses the entry while the menu is open; shown at its end. */
  key?: string | undefined;
  run: () => void;
}

export interface MenuProps {
  id?: string;
  anchor: HTMLElement;
  label: string;
  entries: readonly MenuEntry[];
  onClose: () => void;
}

export interface PopProps {
  anchor: HTMLElement;
  label: string;
  alignEnd?: boolean;
  onClose: () => void;
  children: ReactNode;
}

export interface DialogProps {
  title: string;
  width?: 'xs' | 'sm' | 'md';
  actions: ReactNode;
  onClose: () => void;
  children: ReactNode;
}

/** A dialog near the top of the page that has its own heading and buttons. */
export interface TopDialogProps {
  label: string;
  onClose: () => void;
  children: ReactNode;
}

export interface DrawerProps {
  label: string;
  onClose: () => void;
  children: ReactNode;
}
