import { Link, useParams } from 'react-router';
import { en } from '@cloudfit/contract/messages/en.ts';
import { useEnvironment, usePermissions, useTenants } from '../../api/lookups.ts';
import { IconButton } from '../../components/button.tsx';
import { loadFloating } from '../../components/overlay/floating.tsx';
import { Icon } from '../../components/icon.tsx';
import { useCurrentPage } from '../../components/page-title.ts';
import { toggleMode, useMode } from '../../theme/mode.ts';
import { pickerNeeds } from '../navigation.ts';
import { CallBackSignal } from './call-back-signal.tsx';
import { InboxSignal } from './inbox-signal.tsx';
import { ContextPicker } from './context-picker.tsx';
import { palette } from './overlays.tsx';
import type { OverlayName } from './use-overlay.ts';
import { ProfileMenu } from './profile-menu.tsx';
import type { DrawerState } from './use-drawer.ts';

/** The environment's colour as a dot, with its name as text; where there is no room, the name is read aloud only. */
function EnvironmentChip() {
  const { data } = useEnvironment();
  if (!data?.environmentName) return null;
  return (
    <span className="chip env" title={en.shell.environment(data.environmentName)}>
      <i className="dot" style={{ color: data.environmentColor ?? 'var(--ok)' }} />
      <span className="env-name">{data.environmentName}</span>
    </span>
  );
}

/** Says that the list is of all tenants, although the picker beside it names one: the address has no tenant. */
function AllTenantsChip() {
  const { tenantId } = useParams();
  const { data: tenants } = useTenants();
  if (tenantId !== undefined || !tenants || tenants.length < 2) return null;
  return (
    <span className="chip all-tenants" title={en.shell.allTenantsHelp}>
      {en.shell.allTenants}
    </span>
  );
}

/** Opens the command palette, and shows its keyboard shortcut. */
function PaletteButton({ onOpen }: { onOpen: () => void }) {
  const near = () => {
    void loadFloating();
    void palette.load();
  };
  return (
    <button
      type="button"
      className="btn go-to"
      title={en.shell.goTo}
      aria-keyshortcuts="Control+K Meta+K"
      aria-haspopup="dialog"
      onPointerEnter={near}
      onFocus={near}
      onClick={onOpen}
    >
      <Icon name="search" />
      <span className="grow">{en.shell.goTo}</span>
      <kbd aria-hidden>{en.shell.goToKeys}</kbd>
    </button>
  );
}

export function Header({ drawer, onOverlay }: { drawer: DrawerState; onOverlay: (name: OverlayName) => void }) {
  const { header, hasOldExperience } = useCurrentPage();
  const { tenantId } = useParams();
  const mode = useMode();
  const { data: permissions } = usePermissions();
  const showsPicker = pickerNeeds.some((need) => permissions?.has(need));
  return (
    <header className="top">
      {(!drawer.isOpen || drawer.isTemporary) && (
        <IconButton icon="menu" label={en.shell.openMenu} autoFocus={drawer.isChosen} onClick={drawer.toggle} />
      )}
      <h1>{header}</h1>
      {showsPicker && <ContextPicker />}
      {showsPicker && <AllTenantsChip />}
      <EnvironmentChip />
      {hasOldExperience && tenantId && <Link to={`/${tenantId}/workunits/index`}>{en.shell.oldExperience}</Link>}
      <span className="grow" />
      <PaletteButton onOpen={() => onOverlay('palette')} />
      <CallBackSignal />
      <InboxSignal />
      <IconButton
        className="theme-switch"
        icon={mode === 'dark' ? 'sun' : 'moon'}
        label={mode === 'dark' ? en.shell.toLight : en.shell.toDark}
        onClick={toggleMode}
      />
      <ProfileMenu onOverlay={onOverlay} />
    </header>
  );
}
