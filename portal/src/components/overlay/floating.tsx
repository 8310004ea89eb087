/** Menus, popovers, dialogs and the drawer. Their code loads on demand, usually before the first one opens. */
import type { ComponentType } from 'react';
import type * as FloatingParts from './floating-parts.tsx';
import { onDemand } from '../on-demand.tsx';
import type { DialogProps, DrawerProps, MenuProps, PopProps, TopDialogProps } from './floating-props.ts';

type OverlayParts = typeof FloatingParts;

let parts: OverlayParts | undefined;

export const loadFloating = async (): Promise<OverlayParts> => (parts ??= await import('./floating-parts.tsx'));

/** Loads code when the person first uses the pointer or a key. Returns a function that cancels this. */
export function atFirstInput(load: () => void): () => void {
  const events = ['pointermove', 'pointerdown', 'keydown'] as const;
  const stop = () => {
    for (const event of events) window.removeEventListener(event, start);
  };
  const start = () => {
    stop();
    load();
  };
  for (const event of events) window.addEventListener(event, start, { passive: true });
  return stop;
}

/** For buttons that open an overlay: loads its code before the click. */
export const nearing = { onPointerEnter: () => void loadFloating(), onFocus: () => void loadFloating() };

function part<P extends object>(pick: (parts: OverlayParts) => ComponentType<P>) {
  return onDemand(() => loadFloating().then(pick), { now: () => (parts ? pick(parts) : undefined) }).Component;
}

export const PopupMenu = part<MenuProps>((all) => all.MenuPart);
export const Pop = part<PopProps>((all) => all.PopPart);
export const Dialog = part<DialogProps>((all) => all.DialogPart);
export const TopDialog = part<TopDialogProps>((all) => all.TopDialogPart);
export const TemporaryDrawer = part<DrawerProps>((all) => all.DrawerPart);
