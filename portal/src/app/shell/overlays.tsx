import { lazy, Suspense } from 'react';

export type OverlayName = 'settings' | 'license' | 'keys';

const SettingsPanel = lazy(() => import('../../features/settings/settings-panel.tsx').then((module) => ({ default: module.SettingsPanel })));
const LicenseDialog = lazy(() => import('../../features/license/license-dialog.tsx').then((module) => ({ default: module.LicenseDialog })));
const KeysSheet = lazy(() => import('./keys-sheet.tsx').then((module) => ({ default: module.KeysSheet })));

/** What opens over any screen. */
export function Overlays({ name, onClose }: { name: OverlayName | null; onClose: () => void }) {
  return (
    <Suspense fallback={null}>
      {name === 'settings' && <SettingsPanel onClose={onClose} />}
      {name === 'license' && <LicenseDialog onClose={onClose} />}
      {name === 'keys' && <KeysSheet onClose={onClose} />}
    </Suspense>
  );
}
