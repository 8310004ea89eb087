import Divider from '@mui/material/Divider';
import Menu from '@mui/material/Menu';
import MenuItem from '@mui/material/MenuItem';
import { useId, useState, type MouseEvent } from 'react';
import { Button, IconButton } from './button.tsx';
import { Icon, type IconName } from './icon.tsx';

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

interface MenuButtonProps {
  label: string;
  entries: readonly MenuEntry[];
  look?: 'plain' | 'primary' | 'quiet';
  small?: boolean;
  /** Shows only this icon; `label` is read aloud. */
  icon?: IconName;
  /** The page's create button: the key `c` presses it. */
  isCreate?: boolean;
}

/** A button that opens a menu. */
export function MenuButton({ label, entries, look = 'plain', small = false, icon, isCreate }: MenuButtonProps) {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const id = useId();
  const shared = {
    look, small, ...(isCreate ? { 'data-create': '' } : {}), 'aria-haspopup': 'menu' as const, 'aria-expanded': anchor !== null, ...(anchor ? { 'aria-controls': id } : {}),
    onClick: (event: MouseEvent<HTMLElement>) => { event.stopPropagation(); setAnchor(event.currentTarget); },
  };
  return (
    <>
      {icon ? <IconButton icon={icon} label={label} {...shared} /> : <Button trailing="down" {...shared}>{label}</Button>}
      {anchor && (
        <Menu id={id} open anchorEl={anchor} onClose={() => setAnchor(null)} onClick={(event) => event.stopPropagation()} slotProps={{ list: { 'aria-label': label } }}>
          {entries.flatMap((entry, at) => [
            ...(entry.divided && at > 0 ? [<Divider key={`${entry.id}-line`} component="li" />] : []),
            <MenuItem key={entry.id} {...(entry.checked === undefined ? {} : { role: 'menuitemcheckbox', 'aria-checked': entry.checked })} disabled={entry.disabled ?? false} onClick={() => { setAnchor(null); entry.run(); }} sx={entry.danger ? { color: 'var(--danger)' } : {}}>
              {entry.checked !== undefined && <span className="menu-check">{entry.checked && <Icon name="check" />}</span>}
              {entry.icon && <Icon name={entry.icon} />}{entry.label}
            </MenuItem>,
          ])}
        </Menu>
      )}
    </>
  );
}
