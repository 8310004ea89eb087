import { onDemand } from '../../components/on-demand.tsx';

export type OverlayName = 'settings' | 'license' | 'keys';

interface OverlayProps {
  onClose: () => void;
}

const { Component: SettingsPanel } = onDemand<OverlayProps>(() =>
  import('../../features/settings/settings-panel.tsx').then((module) => module.SettingsPanel),
);
const { Component: LicenseDialog } = onDemand<OverlayProps>(() =>
  import('../../features/license/license-dialog.tsx').then((module) => module.LicenseDialog),
);
const { Component: KeysSheet } = onDemand<OverlayProps>(() => import('./keys-sheet.tsx').then((module) => module.KeysSheet));

/** What opens over any screen. */
export function Overlays({ name, onClose }: { name: OverlayName | null; onClose: () => void }) {
  return (
    <>
      {name === 'settings' && <SettingsPanel onClose={onClose} />}
      {name === 'license' && <LicenseDialog onClose={onClose} />}
      {name === 'keys' && <KeysSheet onClose={onClose} />}
    </>
  );
}
