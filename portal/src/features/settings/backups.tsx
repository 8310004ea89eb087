/**
 * When the installation was last backed up, and when a restore was last tested; for people who may edit the settings of all
 * tenants.
 */
import { backupState } from '@cloudfit/contract/calls.ts';
import { settings as t } from '@cloudfit/contract/messages/settings.en.ts';
import { useCall } from '../../api/call.ts';
import { useMay } from '../../api/lookups.ts';
import { ReadOnlyField } from '../../components/read-only-field.tsx';
import { exactTime } from '../../theme/times.ts';

function LastTime({ label, value }: { label: string; value: string | null | undefined }) {
  return (
    <div className="read-only">
      <dt>{label}</dt>
      <dd>{value ? exactTime(value) : t.backups.never}</dd>
    </div>
  );
}

export function Backups() {
  const { data } = useCall(backupState, {}, { enabled: useMay()('Settings', 'edit') });
  if (!data?.isVisible) return null;
  const { restoreDrill: drill } = data;
  return (
    <section className="form-section settings" aria-label={t.backups.title}>
      <h3>{t.backups.title}</h3>
      <dl className="form-grid facts">
        <LastTime label={t.backups.backup} value={data.backupAt} />
        <LastTime label={t.backups.baseCopy} value={data.baseCopyAt} />
        <LastTime label={t.backups.drill} value={drill?.at} />
        {drill && (
          <ReadOnlyField kind="text" label={t.backups.outcome} value={drill.failed ? t.backups.failed(drill.failed) : t.backups.restored} />
        )}
      </dl>
      <p className="faint">{t.backups.hint}</p>
    </section>
  );
}
