/** How the signed-in person is notified: order of channels, quiet hours, this browser, and a test of each channel. */
import { lazy, Suspense } from 'react';
import type { CallOutput } from '@cloudfit/contract/call.ts';
import type { ownNotificationPreferences } from '@cloudfit/contract/calls.ts';
import { preferenceTexts as t } from '@cloudfit/contract/messages/notification-preferences.en.ts';
import { viewerZone } from '../../theme/times.ts';
import { currentImpersonation } from '../../api/see-as.ts';
import { Loaded } from '../../calls/loaded.tsx';
import { usePageTitle } from '../../components/page-title.ts';
import { Skeleton } from '../../components/states.tsx';
import { loadCode } from '../../components/load-code.ts';
import { Browsers } from '../../entities/notifications/browsers.tsx';
import { PreferencesForm } from '../../entities/notifications/preferences-form.tsx';
import { preferenceChanges, useOwnPreferences } from '../../entities/notifications/use-preferences.ts';
import { ChannelTests } from './channel-tests.tsx';
import { ThisBrowser } from './this-browser.tsx';
import './notifications.css';

// Apart from the page, whose files are listed in each first load.
const OtherPrograms = lazy(async () => ({ default: (await loadCode(() => import('./feeds.tsx'))).OtherPrograms }));

const { save, endBrowser, reload } = preferenceChanges(undefined);

function OwnPreferences({ data }: { data: CallOutput<typeof ownNotificationPreferences> }) {
  const isOwn = currentImpersonation() === undefined;
  const zone = data.isDefault ? viewerZone() : data.timeZone;
  return (
    <div className="notifications-page">
      <p className="muted">{t.intro}</p>
      <section className="form-section" aria-label={t.browsers}>
        <h2>{t.browsers}</h2>
        <Browsers
          browsers={data.browsers}
          mayEnd={isOwn}
          onEnd={(subscriptionId, browser) => void endBrowser({ subscriptionId, browser })}
        />
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
      {isOwn && (
        <Suspense>
          <OtherPrograms />
        </Suspense>
      )}
    </div>
  );
}

export function NotificationsPage() {
  usePageTitle(t.title);
  return (
    <Loaded query={useOwnPreferences()} loading={<Skeleton width="60%" />}>
      {(data) => <OwnPreferences data={data} />}
    </Loaded>
  );
}
