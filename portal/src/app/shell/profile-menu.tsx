import { useEffect, useState } from 'react';
import { useNavigate, useParams } from 'react-router';
import { en } from '@cloudfit/contract/messages/en.ts';
import { useCurrentUser, useOwnPhoto } from '../../api/lookups.ts';
import { currentImpersonation } from '../../api/see-as.ts';
import { accountAddress, signOut } from '../../api/session.ts';
import { Avatar } from '../../components/chips.tsx';
import { nearing, PopupMenu } from '../../components/overlay/floating.tsx';
import { adoptLocale } from '../../theme/locale.ts';
import type { OverlayName } from './use-overlay.ts';
import type { MenuEntry } from '../../components/overlay/floating-props.ts';

/** The menu of the signed-in person. Without `onOverlay` it has only the items account and log out. */
export function ProfileMenu({ onOverlay }: { onOverlay?: (name: OverlayName) => void }) {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const { data: user } = useCurrentUser();
  const photo = useOwnPhoto();
  const locale = user?.locale;
  useEffect(() => {
    // The page stays that of the administrator who sees as somebody else.
    if (locale && !currentImpersonation()) adoptLocale(locale);
  }, [locale]);
  const navigate = useNavigate();
  const { tenantId } = useParams();
  const name = user?.name ?? '';
  // During an impersonation, this link would open the account of the administrator, not of the other person.
  const account = currentImpersonation() ? undefined : accountAddress();
  const entries: MenuEntry[] = [
    ...(onOverlay
      ? [
          { id: 'settings', label: en.shell.settings, icon: 'settings', run: () => onOverlay('settings') } as const,
          {
            id: 'notifications',
            label: en.shell.howNotified,
            icon: 'mail',
            run: () => void navigate(`/${tenantId ?? ''}/notifications`.replace('//', '/')),
          } as const,
          // During an impersonation nothing can be changed.
          ...(currentImpersonation()
            ? []
            : [{ id: 'photo', label: en.shell.photo, icon: 'person', run: () => onOverlay('photo') } as const]),
          { id: 'keys', label: en.shell.keyboardHelp, icon: 'keyboard', run: () => onOverlay('keys') } as const,
        ]
      : []),
    ...(account ? [{ id: 'account', label: en.shell.account, icon: 'lock', run: () => window.location.assign(account) } as const] : []),
    { id: 'logOut', label: en.shell.logOut, icon: 'logOut', divided: true, run: () => void signOut() },
  ];
  return (
    <>
      <button
        type="button"
        className="user"
        {...nearing}
        title={en.shell.profile}
        aria-haspopup="menu"
        aria-expanded={anchor !== null}
        onClick={(event) => setAnchor(event.currentTarget)}
      >
        <Avatar name={name} photo={photo} size="large" />
        <span className="ellipsis name">{name}</span>
      </button>
      {anchor && <PopupMenu anchor={anchor} label={en.shell.profile} entries={entries} onClose={() => setAnchor(null)} />}
    </>
  );
}
