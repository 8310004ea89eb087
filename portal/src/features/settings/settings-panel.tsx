import { en } from '@cloudfit/contract/messages/en.ts';
import { SidePanel } from '../../components/side-panel.tsx';
import { setMode, useMode } from '../../theme/mode.ts';

export function SettingsPanel({ onClose }: { onClose: () => void }) {
  const mode = useMode();
  return (
    <SidePanel title={en.settings.title} onClose={onClose}>
      <div className="body">
        <section className="form-section" aria-label={en.settings.appearance}>
          <h3>{en.settings.appearance}</h3>
          <label className="check">
            <input
              type="checkbox"
              role="switch"
              className="switch"
              checked={mode === 'dark'}
              onChange={(event) => setMode(event.target.checked ? 'dark' : 'light')}
            />
            {en.settings.dark}
          </label>
          <p className="faint">{en.settings.hint}</p>
        </section>
      </div>
    </SidePanel>
  );
}
