/** How the signed-in person is notified: order of channels, quiet hours, this browser, and a test of each channel. */
import { preferenceTexts as t } from '@cloudfit/contract/messages/notification-preferences.en.ts';
import { failureText } from '../../api/client.ts';
import { currentSight } from '../../api/see-as.ts';
import { usePageTitle } from '../../components/page-title.ts';
import { ErrorState, Skeleton } from '../../components/states.tsx';
import { Browsers } from '../../entities/notifications/browsers.tsx';
import { PreferencesForm } from '../../entities/notifications/preferences-form.tsx';
import { useChangePreferences, usePreferences } from '../../entities/notifications/use-preferences.ts';
import { ChannelTests } from './channel-tests.tsx';
import { ThisBrowser } from './this-browser.tsx';
import './notifications.css';

export function NotificationsPage() {
  usePageTitle(t.title);
  const { data, error, refetch } = usePreferences(undefined);
  const { save, endBrowser, reload } = useChangePreferences(undefined);
  const isOwn = currentSight() === undefined;
  if (error && !data) return <ErrorState title={failureText(error)} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton width="60%" />;
  const zone = data.isDefault ? Intl.DateTimeFormat().resolvedOptions().timeZone : data.timeZone;
  return (
    <div className="notifications-page">
      <p className="muted">{t.intro}</p>
      <section className="form-section" aria-label={t.browsers}>
        <h2>{t.browsers}</h2>
        <Browsers browsers={data.browsers} mayEnd={isOwn} onEnd={(id, browser) => void endBrowser(id, browser)} />
        {isOwn && <ThisBrowser pushKey={data.pushKey} onAdded={reload} />}
      </section>
      <PreferencesForm
        heading="h2"
        initial={{ ...data, timeZone: zone }}
        isOwn
        disabled={!isOwn}
        onSave={(changed) => save(changed, data.name)}
      />
      {isOwn && <ChannelTests channels={data.reach} />}
    </div>
  );
}
