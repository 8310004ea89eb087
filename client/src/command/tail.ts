/** `cloudfit tail units` and `cloudfit tail packets`: lines as they happen, until Ctrl+C. */
import { literal } from '@cloudfit/contract/query/build.ts';
import type { FollowOptions } from '../live-changes.ts';
import { CallFailed } from '../send.ts';
import { countOption, textOption, type CommandPart, type PartContext } from './command.ts';

const count = { type: 'string', about: 'end after so many lines' } as const;

/** Follows until Ctrl+C, and says when the server is away: it is silence that people would take for peace. */
const following = ({ print, surroundings: { signal } }: PartContext): FollowOptions => ({
  signal,
  onInterruption: (failure) => print.note(failure ? `${failure.message} Trying again ...` : 'Connected again.'),
});

const units: CommandPart = {
  name: 'tail units',
  about: 'Work units as they are opened and changed.',
  options: { count },
  run: async (context) => {
    const { client, print } = context;
    const max = countOption(context, 'count', Infinity, 1_000_000);
    const api = await client();
    let lines = 0;
    for await (const { entity, id, verb } of api.changes(following(context))) {
      if (entity === '*') print.note('Some changes were missed.');
      if (entity !== 'workUnits' || id === '') continue;
      const unit = await api.read('workUnits', id).catch((error: unknown) => {
        // Gone, or moved out of what the caller may see, since the change.
        if (error instanceof CallFailed && error.status === 404) return undefined;
        throw error;
      });
      if (!unit) continue;
      const { publicWorkUnitId, severityId, stateId, title, modified } = unit;
      print.line({ verb, ...unit }, `${modified} ${verb} ${publicWorkUnitId} ${severityId} ${stateId} ${title}`);
      if (++lines >= max) return;
    }
  },
};

/** The values of a packet in one line. */
function valuesOf(message: unknown): string {
  const parts = typeof message === 'object' && message !== null ? Object.entries(message) : [];
  return parts
    .filter(([name]) => name === 'Value' || name === 'Metrics' || name === 'States')
    .flatMap(([name, value]) => (typeof value === 'object' && value !== null ? Object.entries(value) : [[name, value]]))
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(' ');
}

const packets: CommandPart = {
  name: 'tail packets',
  about: 'The latest packet of each entity, as packets arrive.',
  options: { entity: { type: 'string', about: 'only of the device, block or operation of this id' }, count },
  run: async (context) => {
    const { client, print } = context;
    const max = countOption(context, 'count', Infinity, 1_000_000);
    const entityId = textOption(context, 'entity');
    const api = await client();
    const chosen = entityId === undefined ? '' : ` and entityId eq ${literal('guid', entityId) ?? entityId}`;
    let lines = 0;
    // The time of the server, by its latest packet: the clock of this machine may differ.
    const { value } = await api.list('packets', { orderBy: 'receivedTimestamp desc', top: 1 });
    let since = value[0]?.receivedTimestamp ?? '1970-01-01T00:00:00Z';
    for await (const { entity } of api.changes(following(context))) {
      if (entity !== 'packets' && entity !== '*') continue;
      const filter = `receivedTimestamp gt ${since}${chosen}`;
      for await (const packet of api.rows('packets', { filter, orderBy: 'receivedTimestamp asc' })) {
        since = packet.receivedTimestamp > since ? packet.receivedTimestamp : since;
        print.line(packet, `${packet.timestamp} ${packet.entityId} ${valuesOf(packet.message)}`);
        if (++lines >= max) return;
      }
    }
  },
};

export const tailParts: readonly CommandPart[] = [units, packets];
