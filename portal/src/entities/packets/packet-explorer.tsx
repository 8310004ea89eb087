/** The packets of an entity with all their content, back from now or from a chosen time, filtered by a name or a value. */
import { useMemo, useState } from 'react';
import { useSearchParams } from 'react-router';
import { en } from '@cloudfit/contract/messages/en.ts';
import { packetTexts as t } from '@cloudfit/contract/messages/packets.en.ts';
import { failureText } from '../../api/client.ts';
import { useMay } from '../../api/lookups.ts';
import { Button } from '../../components/button.tsx';
import { numberText, unitOf } from '../../components/chart/number-text.ts';
import { exactTime, inputTime, instantAt } from '../../theme/times.ts';
import { EmptyState, ErrorState, Skeleton } from '../../components/states.tsx';
import { useAddress } from '../../hooks/use-address.ts';
import { panelPrefix } from '../../hooks/use-panel.ts';
import { whyAddress } from '../explanations/addresses.ts';
import { WhyLink } from '../explanations/why-link.tsx';
import { PacketDetails } from './packet-details.tsx';
import { packetValueText } from './packet-value.ts';
import { usePacketHistory, type HistoryPacket } from './use-packet-history.ts';
import './packets.css';

const atParam = `${panelPrefix}at`;
const shownReadings = 5;

interface NamedReading {
  name: string;
  text: string;
}

/** The readings of a packet, without its diagnostics, each as a name and a text. */
function readingsOf({ Value, Metrics = {}, States = {}, Properties = {} }: HistoryPacket['message']): readonly NamedReading[] {
  const value = packetValueText(Value);
  return [
    ...(value === '' ? [] : [{ name: t.value, text: value }]),
    ...Object.entries(Metrics).map(([name, number]) => ({ name, text: numberText(number, unitOf(name)) })),
    ...Object.entries({ ...States, ...Properties }).map(([name, state]) => ({ name, text: packetValueText(state) })),
  ];
}

/** The readings that have the word in their name or value; all of them without a word. */
function matching(packet: HistoryPacket, word: string): readonly NamedReading[] {
  const readings = readingsOf(packet.message);
  return word === '' ? readings : readings.filter(({ name, text }) => `${name} ${text}`.toLowerCase().includes(word));
}

/** `2026-11-22T14:30` in the viewer's zone, as the browser's input of times has it. */
function localInput(iso: string | null): string {
  if (!iso || Number.isNaN(Date.parse(iso))) return '';
  return inputTime(iso, 'minutes');
}

function useMoment(): readonly [string | null, (iso: string | undefined) => void] {
  const [params] = useSearchParams();
  const change = useAddress();
  const at = params.get(atParam);
  return [
    at && !Number.isNaN(Date.parse(at)) ? at : null,
    (iso) =>
      change(
        (next) => {
          if (iso) next.set(atParam, iso);
          else next.delete(atParam);
          return undefined;
        },
        { replace: true },
      ),
  ];
}

function PacketRow({ packet, word }: { packet: HistoryPacket; word: string }) {
  const [isOpen, setIsOpen] = useState(false);
  const readings = matching(packet, word);
  const time = exactTime(packet.timestamp);
  return (
    <li>
      <div className="packet-row">
        <button type="button" className="packet-toggle" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          <time className="num" dateTime={packet.timestamp}>
            {time}
          </time>
          <span className="packet-readings num">
            {readings.slice(0, shownReadings).map(({ name, text }) => (
              <span key={name}>
                <span className="muted">{name}</span> {text}
              </span>
            ))}
            {readings.length > shownReadings && <span className="faint">{t.more(readings.length - shownReadings)}</span>}
          </span>
        </button>
        <WhyLink to={whyAddress(packet.tenantId, { entityId: packet.entityId, at: packet.timestamp })} of={time} />
      </div>
      {isOpen && (
        <div className="packet-open">
          <PacketDetails packet={packet} />
        </div>
      )}
    </li>
  );
}

interface PacketExplorerProps {
  entityId: string;
  /** The text that shows when there is no packet. */
  none?: string;
}

export function PacketExplorer({ entityId, none = t.none }: PacketExplorerProps) {
  const mayView = useMay()('Packets', 'view');
  const [at, setAt] = useMoment();
  const [search, setSearch] = useState('');
  const word = search.trim().toLowerCase();
  // One millisecond after `at`, so that a packet at `at` itself is included.
  const to = at ? new Date(Date.parse(at) + 1).toISOString() : undefined;
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = usePacketHistory(entityId, to);
  const all = useMemo(() => (data?.pages ?? []).flatMap(({ value }) => value), [data]);
  const shown = useMemo(() => all.filter((packet) => word === '' || matching(packet, word).length > 0), [all, word]);
  if (!mayView) return <ErrorState title={en.auth.deniedTitle} text={t.forbidden} />;
  return (
    <section className="packet-explorer" aria-label={t.all}>
      <div className="row packet-bar">
        <input
          className="input"
          type="search"
          aria-label={t.filter}
          placeholder={t.filter}
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
        <label className="row">
          {t.at}
          <input
            className="input"
            type="datetime-local"
            value={localInput(at)}
            onChange={(event) => setAt(event.target.value ? instantAt(event.target.value).toISOString() : undefined)}
          />
        </label>
        {at && (
          <Button small onClick={() => setAt(undefined)}>
            {t.newest}
          </Button>
        )}
      </div>
      {error && !data ? (
        <ErrorState title={t.failed} text={failureText(error)} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton width="60%" />
      ) : shown.length === 0 ? (
        <EmptyState icon="empty" title={all.length === 0 ? none : t.noneMatches} text={all.length === 0 ? t.noneText : undefined} />
      ) : (
        <ul className="packet-list">
          {shown.map((packet) => (
            <PacketRow key={packet.packetId} packet={packet} word={word} />
          ))}
        </ul>
      )}
      {hasNextPage && (
        <Button disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {t.older}
        </Button>
      )}
    </section>
  );
}
