/** Menus, popovers, dialogs and the drawer: their code comes with the first one that opens, or sooner when a pointer nears it. */
import type { ComponentType } from 'react';
import type * as FloatingParts from './floating-parts.tsx';
import { onDemand } from '../on-demand.tsx';
import type { DialogProps, DrawerProps, MenuProps, PopProps, TopDialogProps } from './floating-props.ts';

type Parts = typeof FloatingParts;

let parts: Parts | undefined;

export const loadFloating = async (): Promise<Parts> => (parts ??= await import('./floating-parts.tsx'));

/** Fetches it as soon as somebody is at the page; answers how to stop waiting for that. */
export function loadFloatingSoon(): () => void {
  const events = ['pointermove', 'pointerdown', 'keydown'] as const;
  const stop = () => {
    for (const event of events) window.removeEventListener(event, start);
  };
  const start = () => {
    stop();
    void loadFloating();
  };
  for (const event of events) window.addEventListener(event, start, { passive: true });
  return stop;
}

/** For buttons that open something: the code is there by the time of the click. */
export const nearing = { onPointerEnter: () => void loadFloating(), onFocus: () => void loadFloating() };

function part<P extends object>(pick: (parts: Parts) => ComponentType<P>) {
  return onDemand(() => loadFloating().then(pick), { now: () => (parts ? pick(parts) : undefined) }).Component;
}

export const PopupMenu = part<MenuProps>((all) => all.MenuPart);
export const Pop = part<PopProps>((all) => all.PopPart);
export const Dialog = part<DialogProps>((all) => all.DialogPart);
export const TopDialog = part<TopDialogProps>((all) => all.TopDialogPart);
export const TemporaryDrawer = part<DrawerProps>((all) => all.DrawerPart);
