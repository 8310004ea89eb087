/** How a person is notified: readable for people who see the person, editable for those who may edit people. */
import { preferenceTexts as t } from '@cloudfit/contract/messages/notification-preferences.en.ts';
import { failureText } from '../../api/client.ts';
import { ErrorState, Skeleton } from '../../components/states.tsx';
import { Browsers } from '../../entities/notifications/browsers.tsx';
import { PreferencesForm } from '../../entities/notifications/preferences-form.tsx';
import { useChangePreferences, usePreferences } from '../../entities/notifications/use-preferences.ts';
import type { Person } from './change-person.ts';

export function NotificationsTab({ row }: { row: Person }) {
  const { data, error, refetch } = usePreferences(row.personId);
  const { save, endBrowser } = useChangePreferences(row.personId);
  if (error && !data) return <ErrorState small title={failureText(error)} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton width="70%" />;
  const unreached = data.reach.flatMap(({ channel, problem }) => (problem === null ? [] : { channel, problem }));
  return (
    <div className="body">
      <section className="form-section" aria-label={t.browsers}>
        <h3>{t.browsers}</h3>
        <Browsers browsers={data.browsers} mayEnd={data.mayEdit} onEnd={(id, browser) => void endBrowser(id, browser)} />
        {unreached.map(({ channel, problem }) => (
          <p key={channel} className="faint">
            {t.channels[channel]}: {problem}
          </p>
        ))}
      </section>
      <PreferencesForm heading="h3" initial={data} isOwn={false} disabled={!data.mayEdit} onSave={(changed) => save(changed, data.name)} />
    </div>
  );
}
