import { onDemand } from '../../components/on-demand.tsx';
import type { OverlayName } from './use-overlay.ts';

interface OverlayProps {
  onClose: () => void;
}

const { Component: SettingsPanel } = onDemand<OverlayProps>(() =>
  import('../../features/settings/settings-panel.tsx').then((module) => module.SettingsPanel),
);
const { Component: LicenseDialog } = onDemand<OverlayProps>(() =>
  import('../../features/license/license-dialog.tsx').then((module) => module.LicenseDialog),
);
const { Component: PhotoPanel } = onDemand<OverlayProps>(() =>
  import('../../features/profile/photo-panel.tsx').then((module) => module.PhotoPanel),
);
const { Component: KeysSheet } = onDemand<OverlayProps>(() => import('./keys-sheet.tsx').then((module) => module.KeysSheet));

/** The command palette. Its code loads when the pointer nears its button, so that the input can take the first letters. */
export const palette = onDemand<OverlayProps & { onOverlay: (name: OverlayName) => void }>(() =>
  import('../palette/command-palette.tsx').then((module) => module.CommandPalette),
);

interface OverlaysProps {
  name: OverlayName | null;
  onShow: (name: OverlayName) => void;
  onClose: () => void;
}

/** Renders the overlay `name`, one of those that can open over any screen. */
export function Overlays({ name, onShow, onClose }: OverlaysProps) {
  return (
    <>
      {name === 'settings' && <SettingsPanel onClose={onClose} />}
      {name === 'license' && <LicenseDialog onClose={onClose} />}
      {name === 'photo' && <PhotoPanel onClose={onClose} />}
      {name === 'keys' && <KeysSheet onClose={onClose} />}
      {name === 'palette' && <palette.Component onClose={onClose} onOverlay={onShow} />}
    </>
  );
}
