import { en } from '@cloudfit/contract/messages/en.ts';
import { useEnvironment, usePermissions } from '../../api/lookups.ts';
import { IconButton } from '../../components/button.tsx';
import { useCurrentTitle } from '../../components/page-title.ts';
import { toggleMode, useMode } from '../../theme/mode.ts';
import { pickerNeeds } from '../navigation.ts';
import { ContextPicker } from './context-picker.tsx';
import type { OverlayName } from './overlays.tsx';
import { ProfileMenu } from './profile-menu.tsx';
import type { DrawerState } from './use-drawer.ts';

/** The environment's colour as a dot; its name is always written. */
function EnvironmentChip() {
  const { data } = useEnvironment();
  if (!data?.environmentName) return null;
  return (
    <span className="chip env" title={en.shell.environment(data.environmentName)}>
      <i className="dot" style={{ color: data.environmentColor ?? 'var(--ok)' }} />
      {data.environmentName}
    </span>
  );
}

export function Header({ drawer, onOverlay }: { drawer: DrawerState; onOverlay: (name: OverlayName) => void }) {
  const title = useCurrentTitle();
  const mode = useMode();
  const { data: permissions } = usePermissions();
  const showsPicker = pickerNeeds.some((need) => permissions?.has(need));
  return (
    <header className="top">
      {(!drawer.isOpen || drawer.isTemporary) && <IconButton icon="menu" label={en.shell.openMenu} onClick={drawer.toggle} />}
      <h1>{title}</h1>
      {showsPicker && <ContextPicker />}
      <EnvironmentChip />
      <span className="grow" />
      <IconButton
        icon={mode === 'dark' ? 'sun' : 'moon'}
        label={mode === 'dark' ? en.shell.toLight : en.shell.toDark}
        onClick={toggleMode}
      />
      <ProfileMenu onOverlay={onOverlay} />
    </header>
  );
}
