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
import { useId, type ReactNode } from 'react';
import { theme } from '../../theme/theme.ts';

import { Icon } from '../icon.tsx';
import { pageNonce } from '../page-nonce.ts';
import type { DialogProps, DrawerProps, MenuProps, PopProps, TopDialogProps } from './floating-props.ts';

const nonce = pageNonce();
/** Styles made at run time carry the nonce that the server wrote into the page. */
const styles = createCache({ key: 'cf', prepend: true, ...(nonce ? { nonce } : {}) });

/** Overlays render inside the page's main element, so that they belong to a landmark. */
const place = () => document.getElementById('content') ?? document.body;

function Themed({ children }: { children: ReactNode }) {
  return (
    <CacheProvider value={styles}>
      <ThemeProvider theme={theme}>{children}</ThemeProvider>
    </CacheProvider>
  );
}

export function MenuPart({ id, anchor, label, entries, onClose }: MenuProps) {
  return (
    <Themed>
      <Menu
        {...(id ? { id } : {})}
        open
        anchorEl={anchor}
        container={place}
        transitionDuration={0}
        onClose={onClose}
        onClick={(event) => event.stopPropagation()}
        slotProps={{ list: { 'aria-label': label } }}
      >
        {entries.flatMap((entry, at) => [
          ...(entry.divided && at > 0 ? [<li key={`${entry.id}-line`} role="separator" className="menu-line" />] : []),
          <MenuItem
            key={entry.id}
            {...(entry.checked === undefined ? {} : { role: 'menuitemcheckbox', 'aria-checked': entry.checked })}
            disabled={entry.disabled ?? false}
            className={entry.danger ? 'menu-danger' : ''}
            onClick={() => {
              onClose();
              entry.run();
            }}
          >
            {entry.checked !== undefined && <span className="menu-check">{entry.checked && <Icon name="check" />}</span>}
            {entry.icon && <Icon name={entry.icon} />}
            {entry.label}
          </MenuItem>,
        ])}
      </Menu>
    </Themed>
  );
}

export function PopPart({ anchor, label, alignEnd = false, onClose, children }: PopProps) {
  const horizontal = alignEnd ? 'right' : 'left';
  return (
    <Themed>
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

export function DialogPart({ title, width = 'sm', actions, onClose, children }: DialogProps) {
  const id = useId();
  return (
    <Themed>
      <MuiDialog open onClose={onClose} maxWidth={width} fullWidth aria-labelledby={id}>
        <DialogTitle id={id}>{title}</DialogTitle>
        <DialogContent>{children}</DialogContent>
        <DialogActions>{actions}</DialogActions>
      </MuiDialog>
    </Themed>
  );
}

export function TopDialogPart({ label, onClose, children }: TopDialogProps) {
  return (
    <Themed>
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
    <Themed>
      <MuiDrawer open onClose={onClose} slotProps={{ paper: { role: 'dialog', 'aria-label': label } }}>
        {children}
      </MuiDrawer>
    </Themed>
  );
}
