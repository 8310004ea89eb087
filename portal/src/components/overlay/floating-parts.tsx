/** The overlays, made of MUI parts in the portal's theme. */
import createCache from '@emotion/cache';
import { CacheProvider } from '@emotion/react';
import MuiDialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import MuiDrawer from '@mui/material/Drawer';
import Menu from '@mui/material/Menu';
import MenuItem from '@mui/material/MenuItem';
import Popover from '@mui/material/Popover';
import { ThemeProvider } from '@mui/material/styles';
import { useEffect, useEffectEvent, useId, useRef, type KeyboardEvent, type ReactNode } from 'react';
import { theme } from '../../theme/theme.ts';

import { Icon } from '../icon.tsx';
import { pageNonce } from '../page-nonce.ts';
import {
  pageLeft,
  type DialogProps,
  type DrawerProps,
  type MenuEntry,
  type MenuProps,
  type PopProps,
  type TopDialogProps,
} from './floating-props.ts';

const nonce = pageNonce();
/** Styles that are created at run time carry the CSP nonce that the server wrote into the page. */
const styles = createCache({ key: 'cf', prepend: true, ...(nonce ? { nonce } : {}) });

/** Menus and popovers render inside the page's main element, so that they are part of a landmark. */
const place = () => document.getElementById('content') ?? document.body;

function Themed({ onClose, children }: { onClose: () => void; children: ReactNode }) {
  const close = useEffectEvent(onClose);
  useEffect(() => {
    const onLeft = () => close();
    document.addEventListener(pageLeft, onLeft);
    return () => document.removeEventListener(pageLeft, onLeft);
  }, []);
  return (
    <CacheProvider value={styles}>
      <ThemeProvider theme={theme}>{children}</ThemeProvider>
    </CacheProvider>
  );
}

export function MenuPart({ id, anchor, label, entries, onClose }: MenuProps) {
  const choose = (entry: MenuEntry) => {
    onClose();
    entry.run();
  };
  // In the capture phase: the menu itself moves to the entry that begins with a letter.
  const onKey = (event: KeyboardEvent) => {
    const entry = entries.find(({ key, disabled }) => key === event.key && disabled !== true);
    if (!entry || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    choose(entry);
  };
  return (
    <Themed onClose={onClose}>
      <Menu
        {...(id ? { id } : {})}
        open
        anchorEl={anchor}
        container={place}
        transitionDuration={0}
        onClose={onClose}
        onClick={(event) => event.stopPropagation()}
        slotProps={{ list: { 'aria-label': label, onKeyDownCapture: onKey } }}
      >
        {entries.flatMap((entry, at) => [
          ...(entry.divided && at > 0 ? [<li key={`${entry.id}-line`} role="separator" className="menu-line" />] : []),
          <MenuItem
            key={entry.id}
            {...(entry.checked === undefined ? {} : { role: 'menuitemcheckbox', 'aria-checked': entry.checked })}
            disabled={entry.disabled ?? false}
            className={entry.danger ? 'menu-danger' : ''}
            onClick={() => choose(entry)}
          >
            {entry.checked !== undefined && <span className="menu-check">{entry.checked && <Icon name="check" />}</span>}
            {entry.icon && <Icon name={entry.icon} />}
            {entry.label}
            {entry.key && <kbd aria-hidden>{entry.key.toUpperCase()}</kbd>}
          </MenuItem>,
        ])}
      </Menu>
    </Themed>
  );
}

export function PopPart({ anchor, label, alignEnd = false, onClose, children }: PopProps) {
  const horizontal = alignEnd ? 'right' : 'left';
  return (
    <Themed onClose={onClose}>
      <Popover
        open
        anchorEl={anchor}
        container={place}
        transitionDuration={0}
        onClose={onClose}
        anchorOrigin={{ vertical: 'bottom', horizontal }}
        transformOrigin={{ vertical: -4, horizontal }}
        slotProps={{ paper: { role: 'dialog', 'aria-label': label } }}
      >
        {children}
      </Popover>
    </Themed>
  );
}

/** The selector of fields that a person can fill in. */
const field = 'input:not([type="checkbox"], [type="radio"], [type="hidden"], :disabled), select:not(:disabled), textarea:not(:disabled)';

/** Gives the focus to the dialog's first field, unless a part of the dialog took it by `autoFocus`. */
function FirstField() {
  const mark = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const dialog = mark.current?.closest('[role="dialog"]');
    if (!dialog?.contains(document.activeElement)) dialog?.querySelector<HTMLElement>(field)?.focus();
  }, []);
  return <span ref={mark} hidden />;
}

/** Ctrl Enter presses the primary button of a dialog, from everywhere in it. */
function onDialogKey(event: KeyboardEvent<HTMLElement>) {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.defaultPrevented) return;
  const primary = event.currentTarget.querySelector<HTMLButtonElement>('.MuiDialogActions-root > .primary:not(:disabled)');
  if (!primary) return;
  event.preventDefault();
  primary.click();
}

export function DialogPart({ title, width = 'sm', actions, onClose, children }: DialogProps) {
  const id = useId();
  return (
    <Themed onClose={onClose}>
      <MuiDialog open onClose={onClose} maxWidth={width} fullWidth aria-labelledby={id} onKeyDown={onDialogKey}>
        <DialogTitle id={id}>{title}</DialogTitle>
        <DialogContent>
          <FirstField />
          {children}
        </DialogContent>
        <DialogActions>{actions}</DialogActions>
      </MuiDialog>
    </Themed>
  );
}

export function TopDialogPart({ label, onClose, children }: TopDialogProps) {
  return (
    <Themed onClose={onClose}>
      <MuiDialog
        open
        onClose={onClose}
        maxWidth="sm"
        fullWidth
        slotProps={{ container: { className: 'top-dialog' }, paper: { 'aria-label': label } }}
      >
        {children}
      </MuiDialog>
    </Themed>
  );
}

export function DrawerPart({ label, onClose, children }: DrawerProps) {
  return (
    <Themed onClose={onClose}>
      <MuiDrawer open onClose={onClose} slotProps={{ paper: { role: 'dialog', 'aria-label': label } }}>
        {children}
      </MuiDrawer>
    </Themed>
  );
}
