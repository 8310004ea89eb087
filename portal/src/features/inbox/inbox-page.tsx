/** The person's inbox: what they should look at, of all tenants, by keys and by pointer. */
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useSearchParams } from 'react-router';
import { markInboxItems, muteInboxKinds, mutedInboxKinds, snoozeInboxItems } from '@cloudfit/contract/calls.ts';
import { inboxTexts as t } from '@cloudfit/contract/messages/inbox.en.ts';
import { inboxItems, inboxKinds, type InboxKind } from '@cloudfit/contract/resources/inbox-items.ts';
import { call, useCall } from '../../api/call.ts';
import { currentImpersonation } from '../../api/see-as.ts';
import { useCommand } from '../../calls/command.ts';
import { Loaded } from '../../calls/loaded.tsx';
import { Button } from '../../components/button.tsx';
import { nearing, PopupMenu } from '../../components/overlay/floating.tsx';
import { usePageTitle } from '../../components/page-title.ts';
import { EmptyState } from '../../components/states.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { focusPlace, usePageCommands } from '../../hooks/page-commands.ts';
import { useAddress } from '../../hooks/use-address.ts';
import { useFocusOnNext } from '../../hooks/use-focus-on-next.ts';
import { usePanel } from '../../hooks/use-panel.ts';
import { useStep } from '../../hooks/use-step.ts';
import { useList } from '../../rows/use-rows.ts';
import { snoozeTimes } from '../../entities/inbox/snooze-times.ts';
import { filterOf, isInboxTab, tabs, type InboxTab } from './inbox.rules.ts';
import { InboxRow, type ListedItem } from './inbox-row.tsx';
import { nowMs } from '../../theme/now.ts';
import './inbox.css';

const refreshes = [inboxItems.name];
/** The most rows of the page; the count at the bell is of all. */
const shownRows = 200;
const panelParam = 'workUnitId';

/** Which kinds the person is told; pressing an entry mutes the kind, or no longer. */
function KindsButton() {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const { data, refetch } = useCall(mutedInboxKinds, {});
  const { run } = useCommand(
    async ({ kind, mutes }: { kind: InboxKind; mutes: boolean }) => {
      // All kinds are sent, so what another tab has muted meanwhile is read first.
      const { muted } = await call(mutedInboxKinds, {});
      const others = muted.filter((item) => item !== kind);
      return call(muteInboxKinds, { muted: mutes ? [...others, kind] : others });
    },
    { refreshes: [mutedInboxKinds] },
  );
  const muted = data?.muted ?? [];
  return (
    <>
      <Button
        {...nearing}
        aria-haspopup="menu"
        aria-expanded={anchor !== null}
        onClick={(event) => {
          setAnchor(event.currentTarget);
          void refetch();
        }}
      >
        {t.told}
      </Button>
      {anchor && data && (
        <PopupMenu
          anchor={anchor}
          label={t.told}
          onClose={() => setAnchor(null)}
          entries={inboxKinds.map((kind) => ({
            id: kind,
            label: t.kinds[kind],
            checked: !muted.includes(kind),
            run: () => void run({ kind, mutes: !muted.includes(kind) }),
          }))}
        />
      )}
    </>
  );
}

function KeyHints() {
  return (
    <p className="inbox-keys faint" aria-hidden>
      <kbd>J</kbd>
      <kbd>K</kbd> {t.keys.move} <kbd>↵</kbd> {t.keys.open} <kbd>E</kbd> {t.keys.read} <kbd>Z</kbd> {t.keys.snooze}
    </p>
  );
}

interface SnoozeMenu {
  anchor: HTMLElement;
  id: string;
}

function Items({ items, mayChange }: { items: readonly ListedItem[]; mayChange: boolean }) {
  const list = useRef<HTMLUListElement>(null);
  const [snoozing, setSnoozing] = useState<SnoozeMenu | null>(null);
  const { run: mark } = useCommand((input: { ids: string[]; isRead: boolean }) => call(markInboxItems, input), { refreshes });
  const { run: snooze } = useCommand((input: { ids: string[]; until: string }) => call(snoozeInboxItems, input), { refreshes });
  const links = () => [...(list.current?.querySelectorAll<HTMLElement>('a.inbox-item') ?? [])];
  const at = () => links().findIndex((link) => link.closest('li')?.contains(focusPlace()));
  const moveFocus = (by: 1 | -1) => {
    const all = links();
    all[Math.min(Math.max(at() + by, 0), all.length - 1)]?.focus();
  };
  const { id: openId, open } = usePanel(panelParam);
  useFocusOnNext(
    items.map(({ inboxItemId }) => inboxItemId),
    (element) => element.closest<HTMLElement>('.inbox-list li')?.dataset['entry'],
    (key) => links().find((link) => link.closest('li')?.dataset['entry'] === key),
    openId && (items.find(({ workUnitId }) => String(workUnitId) === openId)?.inboxItemId ?? ''),
  );
  const next = useStep(
    // Items of one unit are one step.
    [...new Set(items.map(({ workUnitId }) => String(workUnitId)))],
    openId,
  );
  const setRead = (item: ListedItem) => mark({ ids: [item.inboxItemId], isRead: item.readAt === null });
  const step = (by: 1 | -1) => {
    if (openId === null) return moveFocus(by);
    const id = next(by);
    const item = items.find(({ workUnitId }) => String(workUnitId) === id);
    if (!item) return;
    open(String(item.workUnitId));
    if (item.readAt === null && mayChange) void setRead(item);
  };
  usePageCommands(() => ({
    title: t.title,
    commands: [
      { id: 'next', label: t.next, icon: 'down', key: 'j', run: () => step(1) },
      { id: 'previous', label: t.previous, icon: 'sortUp', key: 'k', run: () => step(-1) },
    ],
  }));
  usePageCommands(() => {
    const item = items[at()];
    const unit = item?.workUnit;
    if (!item || !mayChange) return undefined;
    return {
      title: unit ? `#${unit.publicWorkUnitId} ${unit.title}` : t.gone,
      commands: [
        { id: 'read', label: item.readAt === null ? t.read : t.unread, icon: 'check', key: 'e', run: () => void setRead(item) },
        {
          id: 'snooze',
          label: t.snooze,
          icon: 'pending',
          key: 'z',
          run: () => setSnoozing({ anchor: links()[at()] ?? document.body, id: item.inboxItemId }),
        },
      ],
    };
  });

  // Arrows move in the list, and into it from the beginning of the page.
  const onArrow = useEffectEvent((event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const isHere = event.target instanceof Element && event.target.matches('body, main, .inbox-list *');
    if (by === undefined || !isHere || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    moveFocus(by === 1 ? 1 : -1);
  });
  useEffect(() => {
    document.addEventListener('keydown', onArrow);
    return () => document.removeEventListener('keydown', onArrow);
  }, []);

  return (
    <>
      <ul ref={list} className="inbox-list" aria-label={t.title}>
        {items.map((item) => (
          <InboxRow
            key={item.inboxItemId}
            item={item}
            mayChange={mayChange}
            isOpen={String(item.workUnitId) === openId}
            onMark={(isRead) => void mark({ ids: [item.inboxItemId], isRead })}
            onSnooze={(anchor) => setSnoozing({ anchor, id: item.inboxItemId })}
          />
        ))}
      </ul>
      {snoozing && (
        <PopupMenu
          anchor={snoozing.anchor}
          label={t.snooze}
          onClose={() => setSnoozing(null)}
          entries={snoozeTimes(new Date(nowMs())).map(({ id, until }) => ({
            id,
            label: t.snoozes[id],
            run: () => void snooze({ ids: [snoozing.id], until: until.toISOString() }),
          }))}
        />
      )}
    </>
  );
}

export function InboxPage() {
  usePageTitle(t.title);
  const [params] = useSearchParams();
  const setAddress = useAddress();
  const named = params.get('show') ?? '';
  const tab: InboxTab = isInboxTab(named) ? named : 'all';
  const setTab = (id: InboxTab) =>
    setAddress(
      (now) => {
        if (id === 'all') now.delete('show');
        else now.set('show', id);
        return undefined;
      },
      { replace: true },
    );
  const mayChange = currentImpersonation() === undefined;
  const query = { filter: filterOf(tab), orderBy: 'due desc', top: shownRows, expand: ['workUnit', 'tenant'] } as const;
  const { data, error, refetch } = useList(inboxItems, query);
  const unread = data?.rows.filter((item) => item.readAt === null).map((item) => item.inboxItemId) ?? [];
  const { run, isBusy } = useCommand((ids: string[]) => call(markInboxItems, { ids, isRead: true }), { refreshes });
  return (
    <div className="inbox-page">
      <div className="inbox-head">
        <Tabs
          label={t.show}
          idBase="inbox"
          value={tab}
          onChange={(id) => isInboxTab(id) && setTab(id)}
          items={tabs.map((id) => ({ id, label: t.tabs[id] }))}
        />
        <span className="grow" />
        {mayChange && <KindsButton />}
        {mayChange && (
          <Button disabled={unread.length === 0 || isBusy} onClick={() => void run(unread)}>
            {t.allRead}
          </Button>
        )}
      </div>
      <div className="inbox-body" id="inbox-panel" role="tabpanel" aria-labelledby={`inbox-${tab}`} tabIndex={-1}>
        <Loaded
          query={{ data: data?.rows, error, refetch }}
          failed={t.failed}
          empty={
            tab === 'all' ? <EmptyState icon="bell" title={t.none} text={t.noneText} /> : <EmptyState icon="bell" title={t.noneHere} />
          }
        >
          {(items) => <Items items={items} mayChange={mayChange} />}
        </Loaded>
      </div>
      <KeyHints />
    </div>
  );
}
