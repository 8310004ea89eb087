import { Fragment } from 'react';
import { Link, useLocation } from 'react-router';
import { en } from '@cloudfit/contract/messages/en.ts';
import { browserStore } from '../../api/browser-store.ts';
import { usePermissions, useVersion } from '../../api/lookups.ts';
import { IconButton } from '../../components/button.tsx';
import { TemporaryDrawer } from '../../components/overlay/floating.tsx';
import { Icon } from '../../components/icon.tsx';
import { Mark } from '../../components/mark.tsx';
import { onDemand } from '../../components/on-demand.tsx';
import { addressOf, itemAt, menu, visibleMenu, type MenuGroup, type MenuItem } from '../navigation.ts';
import { InboxBadge, inboxPath } from './inbox-signal.tsx';
import { useChosenContext } from './use-chosen-context.ts';
import type { DrawerState } from './use-drawer.ts';

const { Component: MenuViews } = onDemand(() => import('./menu-views.tsx').then((module) => module.MenuViews));

const noPermissions: ReadonlySet<string> = new Set();

interface MenuListProps {
  items: readonly MenuItem[];
  tenantId: string | null;
  onGo: () => void;
}

function MenuList({ items, tenantId, onGo }: MenuListProps) {
  const current = itemAt(useLocation().pathname)?.path;
  return (
    <ul>
      {items.map((item) => (
        <li key={item.path}>
          <Link
            to={addressOf(item, tenantId)}
            {...(item.path === current ? { className: 'active', 'aria-current': 'page' as const } : {})}
            onClick={onGo}
          >
            <Icon name={item.icon} />
            {item.label}
            {item.path === inboxPath && <InboxBadge />}
          </Link>
          {item.items && <MenuList items={item.items} tenantId={tenantId} onGo={onGo} />}
        </li>
      ))}
    </ul>
  );
}

/** Labels of the groups that the person has folded. */
const folded = browserStore('menuFolded', (stored): readonly string[] =>
  Array.isArray(stored) ? stored.filter((entry): entry is string => typeof entry === 'string') : [],
);

interface GroupProps extends Omit<MenuListProps, 'items'> {
  group: MenuGroup;
}

/** A group of the menu. When folded, it shows only the item of the current screen. */
function Group({ group: { label, items }, ...place }: GroupProps) {
  const all = folded.use();
  const isFolded = all.includes(label);
  const current = itemAt(useLocation().pathname)?.path;
  const shown = isFolded ? items.filter(({ path }) => path === current) : items;
  return (
    <div role="group" aria-label={label}>
      <h2>
        <button
          type="button"
          aria-expanded={!isFolded}
          onClick={() => folded.set(isFolded ? all.filter((item) => item !== label) : [...all, label])}
        >
          {label}
          <Icon name={isFolded ? 'right' : 'down'} />
        </button>
      </h2>
      <MenuList items={shown} {...place} />
    </div>
  );
}

function MenuContent({ drawer, onLicense }: { drawer: DrawerState; onLicense: () => void }) {
  const { data: permissions = noPermissions } = usePermissions();
  const { data: version } = useVersion();
  const { tenantId } = useChosenContext();
  return (
    <nav className="drawer" aria-label={en.shell.mainMenu}>
      <div className="brand-line">
        <Link className="brand grow" to={tenantId ? `/${tenantId}` : '/'} onClick={drawer.close}>
          <Mark />
          {en.product}
        </Link>
        <IconButton icon="left" small label={en.shell.closeMenu} autoFocus={drawer.isChosen} onClick={drawer.toggle} />
      </div>
      {visibleMenu(menu, permissions).map((group, at) => (
        <Fragment key={group.label}>
          <Group group={group} tenantId={tenantId} onGo={drawer.close} />
          {at === 0 && <MenuViews onGo={drawer.close} />}
        </Fragment>
      ))}
      <footer>
        <span>{en.copyright(new Date().getFullYear())}</span>
        <span className="grow" />
        {version && <span className="num">{en.shell.version(version.version)}</span>}
        <button type="button" className="link" onClick={onLicense}>
          {en.shell.license}
        </button>
      </footer>
    </nav>
  );
}

export function MenuDrawer({ drawer, onLicense }: { drawer: DrawerState; onLicense: () => void }) {
  if (!drawer.isOpen) return null;
  const content = <MenuContent drawer={drawer} onLicense={onLicense} />;
  return drawer.isTemporary ? (
    <TemporaryDrawer label={en.shell.mainMenu} onClose={drawer.close}>
      {content}
    </TemporaryDrawer>
  ) : (
    content
  );
}
