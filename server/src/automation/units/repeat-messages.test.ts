/** A match whose unit nobody acknowledges, in many situations; their steps are words of `rules/testing/life.ts`. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Db } from '../../db/db.ts';
import { createLifeWorld, type LifeWorld } from '../../rules/testing/life.ts';
import type { MatchOfExecution, QueuedExecution } from '../execution.ts';
import { endedBefore } from '../notify/turns.ts';

let world: LifeWorld;
beforeAll(async () => {
  world = await createLifeWorld();
});
afterAll(() => world.close());

const repeating = { repeatEvery: '00:20:00', matchLifetime: '24:00:00' };

async function expectOutcome(story: string, calls: string, units: string, rule?: object): Promise<void> {
  const outcome = await world.play(story, { ...repeating, ...rule });
  expect({ calls: outcome['calls'], units: outcome['units'] }).toEqual({ calls, units });
}

describe('messages of a rule that repeats them', () => {
  it.each([
    ['bad again', 'begin', 'New'],
    ['bad wait again', 'begin begin', 'New'],
    ['bad wait again again', 'begin begin', 'New'],
    ['bad wait again wait again', 'begin begin begin', 'New'],
    ['bad restart wait bad again', 'begin begin', 'New'],
    // Somebody works on the unit, or it has ended.
    ['bad ack wait again', 'begin', 'Acknowledged'],
    ['bad resolve wait again', 'begin', 'Resolved'],
    ['bad cancel wait again', 'begin', 'Canceled'],
    ['bad ack wait reopen again', 'begin begin', 'New'],
    ['bad resolve later bad follow wait again', 'begin begin begin', 'New'],
    ['bad resolve later bad follow again', 'begin begin', 'New'],
    // The match ends.
    ['bad wait expire again', 'begin end', 'New'],
    ['bad wait again expire wait again', 'begin begin end', 'New'],
    // A further match is added to the unit, and continues its time.
    ['bad expire bad again', 'begin end begin', 'New'],
    ['bad expire bad wait again', 'begin end begin begin', 'New'],
    // A maintenance holds them.
    ['bad wait maintain sweep again', 'begin', 'New'],
    ['bad wait hold sweep again release sweep again', 'begin begin', 'New'],
    ['maintain bad unmaintain sweep again', 'begin', 'New'],
    ['maintain bad wait again unmaintain sweep wait again', 'begin begin', 'New'],
    // The rule is not in force.
    ['bad wait disable again', 'begin', 'New'],
    ['bad wait delete again', 'begin', 'New'],
  ])('%s', (story, calls, units) => expectOutcome(story, calls, units));

  it('run once where a fault comes and goes without a message of its end', async () => {
    const flapping = { expirationActions: [] };
    await expectOutcome('bad expire bad expire bad again', 'begin', 'New', flapping);
    await expectOutcome('bad expire bad wait expire bad again expire bad again', 'begin begin', 'New', flapping);
  });

  it('run only where the rule says so', () => expectOutcome('bad wait again', 'begin', 'New', { repeatEvery: null }));
});

describe('an acknowledgement that runs out', () => {
  it.each([
    ['bad ack forgotten', 'begin', 'New', { acknowledgedFor: '00:30:00', repeatEvery: null }],
    ['bad ack wait forgotten again', 'begin begin', 'New', { acknowledgedFor: '00:30:00' }],
    ['bad ack wait forgotten again ack wait again', 'begin begin', 'Acknowledged', { acknowledgedFor: '00:30:00' }],
    ['bad ack expire wait forgotten again', 'begin end', 'Acknowledged', { acknowledgedFor: '00:30:00' }],
    ['bad ack forgotten', 'begin', 'Acknowledged', {}],
  ])('%s: %s (%s)', (story, calls, units, rule) => expectOutcome(story, calls, units, rule));
});

it.each([
  ['New', false, undefined],
  [undefined, false, undefined],
  ['Acknowledged', false, 'the work unit is Acknowledged'],
  ['New', true, 'the match has ended'],
] as const)(
  'a repetition that has waited is not sent once somebody works on it or the match has ended: %s, %s',
  async (unitState, isOver, why) => {
    const match = { isOver } as MatchOfExecution;
    const execution = { isReminder: true, unitState, match } as QueuedExecution;
    expect(await endedBefore({} as Db, execution)).toBe(why);
    expect(await endedBefore({} as Db, { ...execution, isReminder: false })).toBeUndefined();
  },
);
