/** Random histories of a fault, of people who end its unit, and of maintenance, against a model of units and calls. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { builtInAction } from '@cloudfit/contract/enums.ts';
import { runs } from '@cloudfit/contract/testing/runs.ts';
import { createLifeWorld, type LifeWorld } from '../../rules/testing/life.ts';

let world: LifeWorld;
beforeAll(async () => {
  world = await createLifeWorld();
});
afterAll(() => world.close());

const moves = [
  'bad',
  'bad',
  'resolve',
  'cancel',
  'reopen',
  'later',
  'later',
  'follow',
  'follow',
  'expire',
  'restart',
  'hold',
  'release',
] as const;
type Move = (typeof moves)[number];

interface Settings {
  recurrence: 'Append' | 'Reopen' | 'New';
  whileMatching: 'Reopen' | 'New' | 'Silent';
  /** Whether the end of a match resolves its unit, instead of a call. */
  resolves: boolean;
}

const minutesLater = 6;
const reopenAfterMinutes = 5;

/** What the moves that are possible lead to; times are minutes. The story holds the words of these moves. */
function expectedOf(requested: readonly Move[], { recurrence, whileMatching, resolves }: Settings) {
  const units: string[] = [];
  const calls: string[] = [];
  const story: string[] = [];
  let clock = 0;
  let isMatching = false;
  let lastHit = 0;
  let isHeld = false;
  let endedAt: number | undefined;
  /** Whether the last thing that anybody was told is an end. */
  let isEndTold = false;
  const isOpen = () => ['New', 'Acknowledged'].includes(units.at(-1) ?? '');
  const set = (state: string) => (units[units.length - 1] = state);
  const begin = () => {
    calls.push('begin');
    isEndTold = false;
  };

  const possible: Record<Move, () => boolean> = {
    // A match that opens in maintenance is another story.
    bad: () => isMatching || !isHeld,
    resolve: isOpen,
    cancel: () => units.at(-1) === 'New',
    reopen: () => units.length > 0 && !isOpen(),
    later: () => true,
    follow: () => true,
    expire: () => isMatching && !isHeld,
    restart: () => true,
    hold: () => isMatching && !isHeld,
    release: () => isHeld,
  };
  const effect: Record<Move, () => void> = {
    bad: () => {
      lastHit = clock;
      if (isMatching) return;
      isMatching = true;
      const joins = recurrence !== 'New' && isOpen();
      if (!joins || isEndTold) begin();
      if (joins) return;
      if (recurrence === 'Reopen' && units.at(-1) === 'Resolved') set('New');
      else units.push('New');
    },
    resolve: () => {
      set('Resolved');
      endedAt = isMatching ? clock : undefined;
    },
    cancel: () => {
      set('Canceled');
      endedAt = isMatching ? clock : undefined;
    },
    reopen: () => {
      set('New');
      endedAt = undefined;
    },
    later: () => (clock += minutesLater),
    follow: () => {
      if (endedAt === undefined || !isMatching || isHeld || whileMatching === 'Silent') return;
      if (lastHit < endedAt + reopenAfterMinutes) return;
      endedAt = undefined;
      begin();
      if (whileMatching === 'Reopen') set('New');
      else units.push('New');
    },
    expire: () => {
      isMatching = false;
      endedAt = undefined;
      if (resolves) {
        if (isOpen()) set('Resolved');
        return;
      }
      calls.push('end');
      isEndTold = true;
    },
    restart: () => undefined,
    hold: () => (isHeld = true),
    release: () => (isHeld = false),
  };
  const words: Partial<Record<Move, string>> = { hold: 'hold sweep', release: 'release sweep' };
  for (const move of requested) {
    if (!possible[move]()) continue;
    story.push(words[move] ?? move);
    effect[move]();
  }
  return { story: story.join(' '), calls: calls.join(' '), units: units.join(' ') };
}

it('opens and calls as the model says', async () => {
  const settings = fc.record({
    recurrence: fc.constantFrom('Append', 'Reopen', 'New'),
    whileMatching: fc.constantFrom('Reopen', 'Reopen', 'New', 'Silent'),
    resolves: fc.boolean(),
  });
  const history = fc.array(fc.constantFrom(...moves), { minLength: 4, maxLength: 14 }).map((rest): Move[] => ['bad', ...rest]);
  await fc.assert(
    fc.asyncProperty(settings, history, async (chosen, requested) => {
      const { recurrence, whileMatching, resolves } = chosen;
      const { story, calls, units } = expectedOf(requested, chosen);
      const atEnd = resolves ? { expirationActions: [{ ActionDefinitionId: builtInAction.resolveWorkUnit, Parameters: {} }] } : {};
      const outcome = await world.play(story, { recurrence, whileMatching, ...atEnd });
      expect({ story, calls: outcome['calls'], units: outcome['units'] }).toEqual({ story, calls, units });
    }),
    { numRuns: runs(15, 40) },
  );
}, 600_000);
