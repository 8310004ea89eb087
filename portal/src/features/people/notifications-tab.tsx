/** How a person is notified: readable for people who see the person, editable for those who may edit people. */
import { preferenceTexts as t } from '@cloudfit/contract/messages/notification-preferences.en.ts';
import { Loaded } from '../../calls/loaded.tsx';
import { Browsers } from '../../entities/notifications/browsers.tsx';
import { PreferencesForm } from '../../entities/notifications/preferences-form.tsx';
import { preferenceChanges, usePreferencesOf } from '../../entities/notifications/use-preferences.ts';
import type { Person } from './change-person.ts';

export function NotificationsTab({ row: { personId } }: { row: Person }) {
  const { save, endBrowser } = preferenceChanges(personId);
  return (
    <Loaded query={usePreferencesOf(personId)}>
      {(preferences) => (
        <div className="body">
          <section className="form-section" aria-label={t.browsers}>
            <h3>{t.browsers}</h3>
            <Browsers
              browsers={preferences.browsers}
              mayEnd={preferences.mayEdit}
              onEnd={(subscriptionId, browser) => void endBrowser({ subscriptionId, browser })}
            />
            {preferences.reach.map(
              ({ channel, problem }) =>
                problem !== null && (
                  <p key={channel} className="faint">
                    {t.channels[channel]}: {problem}
                  </p>
                ),
            )}
          </section>
          <PreferencesForm
            heading="h3"
            initial={preferences}
            isOwn={false}
            disabled={!preferences.mayEdit}
            onSave={(changed) => save(changed, preferences.name)}
          />
        </div>
      )}
    </Loaded>
  );
}
