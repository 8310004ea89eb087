import { useState } from 'react';
import { addFeed, ownFeeds, removeFeed } from '@cloudfit/contract/calls.ts';
import type { CallOutput } from '@cloudfit/contract/call.ts';
import { feedTexts as t } from '@cloudfit/contract/messages/feeds.en.ts';
import { call, useCall } from '../../api/call.ts';
import { useContextNow } from '../../api/context.ts';
import { command, useCommand } from '../../calls/command.ts';
import { Loaded } from '../../calls/loaded.tsx';
import { Button, IconButton } from '../../components/button.tsx';
import { CopyId } from '../../components/chips.tsx';
import { Select } from '../../components/fields/select.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { OwnChatAccounts } from './connect-chat.tsx';
import { useSavedViews } from '../../views/use-saved-views.ts';

type Feed = CallOutput<typeof ownFeeds>['feeds'][number];

const refreshes = [ownFeeds];
const remove = command(({ feedId: id }: Feed) => call(removeFeed, { id }), {
  confirm: () => ({ title: t.remove, text: t.removeQuestion, yes: t.remove, danger: true }),
  failed: t.removeFailed,
  refreshes,
});

function NewFeed({ tenantId }: { tenantId: string }) {
  const views = (useSavedViews().data?.views ?? []).filter((view) => view.screen === 'workunitsv2' && view.tenantId === tenantId);
  const [of, setOf] = useState('workUnits');
  const [url, setUrl] = useState<string>();
  const { run, isBusy } = useCommand(
    () => call(addFeed, { tenantId, kind: of === 'calendar' ? of : 'workUnits', ...(of.includes('-') ? { savedViewId: of } : {}) }),
    { refreshes },
  );
  const choices = [
    { value: 'workUnits', label: t.kinds.workUnits },
    ...views.map(({ savedViewId, name }) => ({ value: savedViewId, label: t.view(name) })),
    { value: 'calendar', label: t.kinds.calendar },
  ];
  const make = async () => {
    const created = await run(undefined);
    if (created) setUrl(created.answer.url);
  };
  return (
    <>
      <div className="row">
        <Select aria-label={t.of} choices={choices} value={of} onChange={setOf} />
        <Button small icon="link" disabled={isBusy} onClick={() => void make()}>
          {t.make}
        </Button>
      </div>
      {url && (
        <p role="status">
          {t.linkOnce} <CopyId id={url} label={t.link} />
        </p>
      )}
    </>
  );
}

/** A new feed shows its link once, and removing one ends its link. */
function OwnFeeds() {
  const { tenantId } = useContextNow();
  const feeds = useCall(ownFeeds, {});
  return (
    <section className="form-section" aria-label={t.title}>
      <h2>{t.title}</h2>
      <p className="faint">{t.intro}</p>
      <Loaded query={{ data: feeds.data?.feeds, error: feeds.error, refetch: feeds.refetch }} failed={t.failed}>
        {(list) => (
          <ul className="feeds">
            {list.map((feed) => (
              <li key={feed.feedId}>
                <span className="grow">
                  {feed.viewName === null ? t.kinds[feed.kind] : t.view(feed.viewName)}, {feed.tenantName}{' '}
                  <span className="faint">
                    {feed.lastRead ? (
                      <>
                        {t.lastRead} <RelativeTime value={feed.lastRead} />
                      </>
                    ) : (
                      t.neverRead
                    )}
                  </span>
                </span>
                <IconButton small icon="close" label={t.remove} onClick={() => void remove(feed)} />
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      {tenantId && <NewFeed tenantId={tenantId} />}
    </section>
  );
}

/** How other programs read and act in the name of the person: feeds, and accounts in chats. */
export function OtherPrograms() {
  return (
    <>
      <OwnFeeds />
      <OwnChatAccounts />
    </>
  );
}
