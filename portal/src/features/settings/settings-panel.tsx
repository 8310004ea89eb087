/**
 * Settings: language and region of the person; of this browser light or dark, and the intake (SET-001..009); below, a test mail and the
 * state of the backups.
 */
import { settings as t } from '@cloudfit/contract/messages/settings.en.ts';
import { disableDrafts, hideTitle, sortByFavorites } from '../../api/intake-settings.ts';
import { SidePanel } from '../../components/side-panel.tsx';
import { setMode, useMode } from '../../theme/mode.ts';
import { Backups } from './backups.tsx';
import { LocaleSettings } from './locale-settings.tsx';
import { TestMail } from './test-mail.tsx';
import { SettingSwitch } from './setting-switch.tsx';
import './settings.css';

const intake = [
  { store: disableDrafts, label: t.disableDrafts, hint: t.disableDraftsHint },
  { store: sortByFavorites, label: t.sortTenants, hint: t.sortTenantsHint },
  { store: hideTitle, label: t.hideTitle, hint: t.hideTitleHint },
];

function IntakeSetting({ store, label, hint }: (typeof intake)[number]) {
  return <SettingSwitch label={label} hint={hint} checked={store.use()} onChange={store.set} />;
}

export function SettingsPanel({ onClose }: { onClose: () => void }) {
  const mode = useMode();
  return (
    <SidePanel title={t.title} onClose={onClose}>
      <div className="body">
        <section className="form-section settings" aria-label={t.appearance}>
          <h3>{t.appearance}</h3>
          <SettingSwitch label={t.dark} hint={t.darkHint} checked={mode === 'dark'} onChange={(on) => setMode(on ? 'dark' : 'light')} />
        </section>
        <section className="form-section settings" aria-label={t.intake}>
          <h3>{t.intake}</h3>
          {intake.map((item) => (
            <IntakeSetting key={item.store.key} {...item} />
          ))}
        </section>
        <p className="faint">{t.storageHint}</p>
        <LocaleSettings />
        <TestMail />
        <Backups />
      </div>
    </SidePanel>
  );
}
