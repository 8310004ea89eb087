/** When the installation was last backed up and tried to restore: for people who may edit the settings of all tenants. */
import { useQuery } from '@tanstack/react-query';
import type { BackupState } from '@cloudfit/contract/actions/notices.ts';
import { settings as t } from '@cloudfit/contract/messages/settings.en.ts';
import { callJson } from '../../api/client.ts';
import { useMay } from '../../api/lookups.ts';
import { RelativeTime } from '../../components/relative-time.tsx';

const At = ({ value }: { value: string | null }) =>
  value ? <RelativeTime value={value} /> : <span className="faint">{t.backups.never}</span>;

export function Backups() {
  const { data } = useQuery({
    queryKey: ['backups'],
    queryFn: () => callJson<BackupState>('/v1/installation/backups', { quiet: true }),
    enabled: useMay()('Settings', 'edit'),
  });
  if (!data?.isVisible) return null;
  const { restoreDrill: drill } = data;
  return (
    <section className="form-section settings" aria-label={t.backups.title}>
      <h3>{t.backups.title}</h3>
      <dl className="pairs">
        <div>
          <dt>{t.backups.backup}</dt>
          <dd>
            <At value={data.backupAt} />
          </dd>
        </div>
        <div>
          <dt>{t.backups.baseCopy}</dt>
          <dd>
            <At value={data.baseCopyAt} />
          </dd>
        </div>
        <div>
          <dt>{t.backups.drill}</dt>
          <dd>
            <At value={drill?.at ?? null} />
            {drill && (drill.failed ? <span className="error">{t.backups.failed(drill.failed)}</span> : <> {t.backups.restored}</>)}
          </dd>
        </div>
      </dl>
      <p className="faint">{t.backups.hint}</p>
    </section>
  );
}
