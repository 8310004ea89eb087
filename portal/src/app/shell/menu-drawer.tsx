import { Link, useLocation, useParams } from 'react-router';
import { en } from '@cloudfit/contract/messages/en.ts';
import { useContextNow } from '../../api/context.ts';
import { usePermissions, useVersion } from '../../api/lookups.ts';
import { IconButton } from '../../components/button.tsx';
import { TemporaryDrawer } from '../../components/overlay/floating.tsx';
import { Icon } from '../../components/icon.tsx';
import { Mark } from '../../components/mark.tsx';
import { addressOf, itemAt, menu, visibleMenu, type MenuItem } from '../navigation.ts';
import type { FromTenant } from '../to-current-tenant.tsx';
import type { DrawerState } from './use-drawer.ts';

const noPermissions: ReadonlySet<string> = new Set();

interface MenuListProps {
  items: readonly MenuItem[];
  tenantId: string | null;
  onGo: () => void;
}

function MenuList({ items, tenantId, onGo }: MenuListProps) {
  const { tenantId: fromTenant } = useParams();
  const current = itemAt(useLocation().pathname)?.path;
  return (
    <ul>
      {items.map((item) => (
        <li key={item.path}>
          <Link
            to={addressOf(item, tenantId)}
            {...(item.path === current ? { className: 'active', 'aria-current': 'page' as const } : {})}
            state={{ fromTenant } satisfies FromTenant}
            onClick={onGo}
          >
            <Icon name={item.icon} />
            {item.label}
          </Link>
          {item.items && <MenuList items={item.items} tenantId={tenantId} onGo={onGo} />}
        </li>
      ))}
    </ul>
  );
}

function MenuContent({ drawer, onLicense }: { drawer: DrawerState; onLicense: () => void }) {
  const { tenantId: inAddress } = useParams();
  const { data: permissions = noPermissions } = usePermissions();
  const { data: version } = useVersion();
  const { tenantId } = useContextNow(inAddress);
  return (
    <nav className="drawer" aria-label={en.shell.mainMenu}>
      <div className="brand-line">
        <Link className="brand grow" to={tenantId ? `/${tenantId}` : '/'} onClick={drawer.close}>
          <Mark />
          {en.product}
        </Link>
        <IconButton icon="left" small label={en.shell.closeMenu} onClick={drawer.toggle} />
      </div>
      {visibleMenu(menu, permissions).map((group) => (
        <div key={group.label} role="group" aria-label={group.label}>
          <h2>{group.label}</h2>
          <MenuList items={group.items} tenantId={tenantId} onGo={drawer.close} />
        </div>
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
