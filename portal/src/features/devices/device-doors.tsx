import { deviceTexts as t } from '@cloudfit/contract/messages/devices.en.ts';
import { Button } from '../../components/button.tsx';
import type { MenuEntry } from '../../components/overlay/floating-props.ts';
import './device-panels.css';

/** Buttons in the panel of a device that open its other panels; a phone shows no row menus. */
export function DeviceDoors({ entries }: { entries: readonly MenuEntry[] }) {
  return (
    <div className="device-doors" role="group" aria-label={t.panels}>
      {entries.map(({ id, label, icon, disabled, run }) => (
        <Button key={id} small {...(icon ? { icon } : {})} disabled={disabled} onClick={run}>
          {label}
        </Button>
      ))}
    </div>
  );
}
