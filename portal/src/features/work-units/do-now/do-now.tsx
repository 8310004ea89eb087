/** What the person should do now, in one list, with the verbs in place and by their keys. */

import { Link, useSearchParams } from 'react-router';
import { openStates } from '@cloudfit/contract/enums.ts';
import { doNowTexts as t } from '@cloudfit/contract/messages/do-now.en.ts';
import { keysTexts } from '@cloudfit/contract/messages/keys.en.ts';
import { useTenants } from '../../../api/lookups.ts';
import { Loaded } from '../../../calls/loaded.tsx';
import { countText } from '../../../components/count.ts';
import { Select } from '../../../components/fields/select.tsx';
import { EmptyState, Skeleton } from '../../../components/states.tsx';
import { usePhone } from '../../../components/use-phone.ts';
import { focusPlace, usePageCommands, type PageCommand } from '../../../hooks/page-commands.ts';
import { useAddress } from '../../../hooks/use-address.ts';
import { useFocusOnNext } from '../../../hooks/use-focus-on-next.ts';
import { usePanel } from '../../../hooks/use-panel.ts';
import { useStep } from '../../../hooks/use-step.ts';
import { useScope } from '../../../rows/use-scope.ts';
import { useUnitCommands } from '../verbs/unit-commands.ts';
import { firstVisible, type UnitTarget } from '../verbs/unit-target.ts';
import { SoundButton, useSoundIsOn } from './sound-button.tsx';
import { useEntrySound } from './use-entry-sound.ts';
import { DoNowRow } from './do-now-row.tsx';
import { keyOf, titleOf, unitOf, useDoNow, type DoNowEntry } from './use-do-now.ts';
import { panelParam } from './unit-pane.tsx';
import './do-now.css';

const scopes = ['all', 'one'] as const;

const rowOf = (element: Element | null | undefined) => element?.closest<HTMLElement>('li[data-entry]') ?? undefined;
const linkOf = (row: HTMLElement | undefined) => row?.querySelector<HTMLElement>('a.do-now-title') ?? undefined;
const rows = () => [...document.querySelectorAll<HTMLElement>('li[data-entry]')];
const rowWith = (key: string) => rows().find((row) => row.dataset['entry'] === key);

function moveFocus(by: 1 | -1): void {
  const all = rows();
  const row = rowOf(focusPlace());
  const at = row ? all.indexOf(row) + by : 0;
  linkOf(all[Math.min(Math.max(at, 0), all.length - 1)])?.focus();
}

/** The verbs of the entry; none for a communication. */
function useVerbs(): (entry: DoNowEntry) => readonly PageCommand[] {
  const commandsOf = useUnitCommands();
  return (entry) => {
    const unit = unitOf(entry);
    if (!unit) return [];
    const target: UnitTarget = {
      count: 1,
      shown: [unit],
      all: () => Promise.resolve([unit]),
      anchor: () => firstVisible(linkOf(rowWith(keyOf(entry)))),
    };
    return commandsOf(target);
  };
}

function Entries({ entries, isOfTenants }: { entries: readonly DoNowEntry[]; isOfTenants: boolean }) {
  const verbsOf = useVerbs();
  const { id: openId, open } = usePanel(panelParam);
  useFocusOnNext(
    entries.map(keyOf),
    (element) => rowOf(element)?.dataset['entry'],
    (key) => linkOf(rowWith(key)),
    openId && `unit ${openId}`,
  );
  const next = useStep(entries.flatMap((entry) => unitOf(entry)?.workUnitId ?? []).map(String), openId);
  const step = (by: 1 | -1) => {
    if (openId === null) return moveFocus(by);
    const id = next(by);
    if (id !== undefined) open(id);
  };
  usePageCommands(() => ({
    title: t.title,
    commands: [
      { id: 'next', label: t.next, icon: 'down', key: 'j', run: () => step(1) },
      { id: 'previous', label: t.previous, icon: 'sortUp', key: 'k', run: () => step(-1) },
    ],
  }));
  usePageCommands(() => {
    const key = rowOf(focusPlace())?.dataset['entry'];
    const entry = entries.find((item) => keyOf(item) === key);
    return entry && { title: titleOf(entry), commands: verbsOf(entry) };
  });
  return (
    <ul className="do-now-list" aria-label={t.title}>
      {entries.map((entry) => (
        <DoNowRow
          key={keyOf(entry)}
          entry={entry}
          isOfTenants={isOfTenants}
          isOpen={openId !== null && unitOf(entry)?.workUnitId === Number(openId)}
          commands={verbsOf(entry)}
        />
      ))}
    </ul>
  );
}

const shownKeys = [
  [['j', 'k'], t.keys.move],
  [[keysTexts.enter], t.keys.open],
  [['a'], t.keys.acknowledge],
  [['m'], t.keys.assignToMe],
  [['r'], t.keys.resolve],
] as const;

function Keys() {
  return (
    <p className="do-now-keys faint" aria-hidden>
      {shownKeys.map(([keys, what]) => (
        <span key={what}>
          {keys.map((key) => (
            <kbd key={key}>{key}</kbd>
          ))}{' '}
          {what}
        </span>
      ))}
    </p>
  );
}

function Loading() {
  return (
    <ul className="do-now-list" aria-busy>
      {[62, 48, 71].map((width) => (
        <li key={width}>
          <Skeleton width={`${width}%`} />
        </li>
      ))}
    </ul>
  );
}

export function DoNow() {
  const { tenantId } = useScope();
  const { data: tenants = [] } = useTenants();
  const [params] = useSearchParams();
  const setAddress = useAddress();
  // On a phone it is the first part of the page.
  const Title = usePhone() ? 'h2' : 'h3';
  const here = tenants.find((tenant) => tenant.tenantId === tenantId)?.name ?? t.thisTenant;
  const isOne = params.get('tenants') === 'one' && tenantId !== null;
  const { data, error, refetch } = useDoNow(isOne ? tenantId : undefined);
  const isSilent = useEntrySound(data?.value, isOne ? tenantId : 'all', useSoundIsOn());
  const choose = (scope: (typeof scopes)[number]) =>
    setAddress(
      (next) => {
        if (scope === 'one') next.set('tenants', scope);
        else next.delete('tenants');
        return undefined;
      },
      { replace: true },
    );
  const more = data ? data.total - data.value.length : 0;
  return (
    <section className="card do-now" aria-label={t.title}>
      <div className="card-head">
        <Title>{t.title}</Title>
        {data && data.total > 0 && <span className="badge num">{`${countText(data.total)}${data.isCut ? '+' : ''}`}</span>}
        <span className="grow" />
        <SoundButton />
        {tenants.length > 1 && (
          <Select
            aria-label={t.tenants}
            value={isOne ? 'one' : 'all'}
            choices={[
              { value: 'all', label: t.allTenants },
              { value: 'one', label: here },
            ]}
            onChange={(value: (typeof scopes)[number]) => choose(value)}
          />
        )}
      </div>
      {isSilent && (
        <p className="do-now-more muted" role="status">
          {t.sound.refused}
        </p>
      )}
      <Loaded
        query={{ data: data?.value, error, refetch }}
        failed={t.failed}
        loading={<Loading />}
        empty={<EmptyState small icon="check" title={t.none} text={isOne ? t.noneHere(here) : t.noneAll} />}
      >
        {(entries) => <Entries entries={entries} isOfTenants={!isOne && tenants.length > 1} />}
      </Loaded>
      {more > 0 && (
        <p className="do-now-more muted">
          {t.more(more, data?.isCut ?? false)} <Link to={`/${tenantId}/workunitsv2?f.stateId=${openStates.join(',')}`}>{t.moreLink}</Link>
        </p>
      )}
      {data && data.value.length > 0 && <Keys />}
    </section>
  );
}
