import Menu from '@mui/material/Menu';
import MenuItem from '@mui/material/MenuItem';
import { useState } from 'react';
import { en } from '@cloudfit/contract/messages/en.ts';
import { useCurrentUser, usePhoto } from '../../api/lookups.ts';
import { signOut } from '../../api/session.ts';
import { Avatar } from '../../components/chips.tsx';
import { Icon, type IconName } from '../../components/icon.tsx';
import type { OverlayName } from './overlays.tsx';

export function ProfileMenu({ onOverlay }: { onOverlay: (name: OverlayName) => void }) {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const { data: user } = useCurrentUser();
  const { data: photo } = usePhoto();
  const name = user?.name ?? '';
  const entries: { label: string; icon: IconName; run: () => void }[] = [
    { label: en.shell.settings, icon: 'settings', run: () => onOverlay('settings') },
    { label: en.shell.keyboardHelp, icon: 'keyboard', run: () => onOverlay('keys') },
    { label: en.shell.logOut, icon: 'logOut', run: () => void signOut() },
  ];
  return (
    <>
      <button type="button" className="user" aria-label={`${en.shell.profile} ${name}`} aria-haspopup="menu" aria-expanded={anchor !== null} onClick={(event) => setAnchor(event.currentTarget)}>
        <Avatar name={name} photo={photo ?? undefined} large />
        <span className="ellipsis">{name}</span>
      </button>
      <Menu open={anchor !== null} anchorEl={anchor} onClose={() => setAnchor(null)} slotProps={{ list: { 'aria-label': en.shell.profile } }}>
        {entries.map((entry) => <MenuItem key={entry.label} onClick={() => { setAnchor(null); entry.run(); }}><Icon name={entry.icon} />{entry.label}</MenuItem>)}
      </Menu>
    </>
  );
}
