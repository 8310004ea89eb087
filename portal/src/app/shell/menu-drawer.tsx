import { Link, NavLink, useParams } from 'react-router';
import { en } from '@cloudfit/contract/messages/en.ts';
import { useContextNow } from '../../api/context.ts';
import { usePermissions, useVersion } from '../../api/lookups.ts';
import { IconButton } from '../../components/button.tsx';
import { TemporaryDrawer } from '../../components/floating.tsx';
import { Icon } from '../../components/icon.tsx';
import { Mark } from '../../components/mark.tsx';
import { menu, visibleMenu } from '../navigation.ts';
import type { DrawerState } from './use-drawer.ts';

const noPermissions: ReadonlySet<string> = new Set();

function MenuContent({ drawer, onLicense }: { drawer: DrawerState; onLicense: () => void }) {
  const { tenantId } = useParams();
  const { data: permissions = noPermissions } = usePermissions();
  const { data: version } = useVersion();
  const { tenantId: tenant } = useContextNow(tenantId);
  const base = tenant ? `/${tenant}` : '';
  return (
    <nav className="drawer" aria-label={en.shell.mainMenu}>
      <div className="brand-line">
        <Link className="brand grow" to={base || '/'} onClick={drawer.close}>
          <Mark />
          {en.product}
        </Link>
        <IconButton icon="left" small label={en.shell.closeMenu} onClick={drawer.toggle} />
      </div>
      {visibleMenu(menu, permissions).map((group) => (
        <div key={group.label} role="group" aria-label={group.label}>
          <h2>{group.label}</h2>
          <ul>
            {group.items.map((item) => (
              <li key={item.id}>
                <NavLink to={item.bare ? `/${item.path}` : `${base}/${item.path}`} onClick={drawer.close}>
                  <Icon name={item.icon} />
                  {item.label}
                </NavLink>
              </li>
            ))}
          </ul>
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
