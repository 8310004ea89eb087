/** The browsers of a person that get push messages. */
import { preferenceTexts as t } from '@cloudfit/contract/messages/notification-preferences.en.ts';
import type { ShownPreferences } from '@cloudfit/contract/on-call/preferences.calls.ts';
import { Button } from '../../components/button.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';

interface BrowsersProps {
  browsers: ShownPreferences['browsers'];
  mayEnd: boolean;
  onEnd: (pushSubscriptionId: string, browser: string) => void;
}

export function Browsers({ browsers, mayEnd, onEnd }: BrowsersProps) {
  if (browsers.length === 0) return <p className="muted">{t.noBrowsers}</p>;
  return (
    <ul className="browsers">
      {browsers.map(({ pushSubscriptionId, browser, created, lastSent }) => (
        <li key={pushSubscriptionId} className="row">
          <span className="grow">
            {browser}{' '}
            <span className="muted">
              {t.since} <RelativeTime value={created} />
              {lastSent && (
                <>
                  , {t.lastSent} <RelativeTime value={lastSent} />
                </>
              )}
            </span>
          </span>
          {mayEnd && (
            <Button small aria-label={t.endOf(browser)} onClick={() => onEnd(pushSubscriptionId, browser)}>
              {t.end}
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
}
