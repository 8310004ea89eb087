/** A unit that a person ends while its match goes on, in many situations; their steps are words of `rules/testing/life.ts`. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtInAction } from '@cloudfit/contract/enums.ts';
import { createLifeWorld, type LifeWorld } from '../../rules/testing/life.ts';

let world: LifeWorld;
beforeAll(async () => {
  world = await createLifeWorld();
});
afterAll(() => world.close());

async function expectOutcome(story: string, calls: string, units: string, rule?: object): Promise<void> {
  const outcome = await world.play(story, { ...rule });
  expect({ calls: outcome['calls'], units: outcome['units'] }).toEqual({ calls, units });
}

const sliding = { useSlidingExpiration: true };
const recovering = { recoveryConditions: [{ Type: 'And', LeftOperand: 62, LeftOperandFieldName: 'Cpu', Operator: 4, RightOperand: '50' }] };

describe('the next hits after a person has ended the unit', () => {
  it.each([
    // Nothing but the end of the unit, or a hit before the time is over, opens nothing.
    ['bad resolve later follow', 'begin', 'Resolved'],
    ['bad resolve bad follow', 'begin', 'Resolved'],
    ['bad bad bad resolve bad bad follow', 'begin', 'Resolved'],
    ['bad resolve bad later follow', 'begin', 'Resolved'],
    // A hit after it opens the unit again and calls again, once.
    ['bad resolve later bad follow', 'begin begin', 'New'],
    ['bad cancel later bad follow', 'begin begin', 'New'],
    ['bad resolve bad follow later bad follow', 'begin begin', 'New'],
    ['bad resolve later bad follow bad follow follow', 'begin begin', 'New'],
    ['bad resolve restart later restart bad restart follow', 'begin begin', 'New'],
    ['bad resolve later bad follow resolve later bad follow', 'begin begin begin', 'New'],
    ['bad resolve later bad follow resolve bad follow', 'begin begin', 'Resolved'],
    // Whoever opens it again is not called.
    ['bad resolve reopen later bad follow', 'begin', 'New'],
    ['bad resolve reopen resolve later bad follow', 'begin begin', 'New'],
    // The end of the match ends all this.
    ['bad resolve later bad expire follow', 'begin end', 'Resolved'],
    ['bad resolve expire later follow', 'begin end', 'Resolved'],
    ['bad resolve later bad follow expire', 'begin begin end', 'New'],
    ['bad resolve expire bad', 'begin end begin', 'Resolved New'],
    ['bad expire bad resolve later bad follow', 'begin end begin begin', 'New'],
    // A rule that is not in force opens nothing.
    ['bad resolve later bad disable follow', 'begin', 'Resolved'],
    ['bad resolve later bad delete follow', 'begin', 'Resolved'],
    ['bad resolve later bad disable follow enable bad follow', 'begin begin', 'New'],
    // The unit into which a person has merged it stands for it.
    ['bad merge bad follow', 'begin', 'Canceled New'],
    ['bad merge resolve bad follow later bad follow', 'begin begin', 'Canceled New'],
    ['bad merge merge cancel later bad follow', 'begin begin', 'Canceled Canceled New'],
    ['bad merge resolve expire bad', 'begin end begin', 'Canceled Resolved New'],
    // A maintenance holds it.
    ['bad resolve later maintain sweep bad follow', 'begin', 'Resolved'],
    ['bad resolve later maintain bad follow unmaintain sweep follow', 'begin begin', 'New'],
    ['bad resolve later hold sweep bad follow release sweep follow', 'begin begin', 'New'],
    ['maintain bad unmaintain sweep resolve later bad follow', 'begin begin', 'New'],
  ])('%s', (story, calls, units) => expectOutcome(story, calls, units));

  it.each([
    ['bad resolve later bad follow', 'begin begin', 'New'],
    ['bad resolve later bad follow good tick follow', 'begin begin end', 'New'],
    ['bad resolve later bad good tick follow', 'begin end', 'Resolved'],
  ])('%s, with a sliding lifetime and recovery conditions', (story, calls, units) =>
    expectOutcome(story, calls, units, { ...sliding, ...recovering }),
  );

  it.each([
    ['bad resolve later bad follow', 'begin begin', 'Resolved New'],
    ['bad resolve later bad follow follow bad follow', 'begin begin', 'Resolved New'],
    ['bad cancel later bad follow resolve later bad follow', 'begin begin begin', 'Canceled Resolved New'],
  ])('%s, where another unit opens', (story, calls, units) => expectOutcome(story, calls, units, { whileMatching: 'New' }));

  it.each([
    ['bad resolve later bad follow later bad follow', 'begin', 'Resolved'],
    ['bad resolve later bad follow expire bad', 'begin end begin', 'Resolved New'],
  ])('%s, where nothing happens until the match ends', (story, calls, units) =>
    expectOutcome(story, calls, units, { whileMatching: 'Silent' }),
  );

  it.each([
    ['bad resolve bad follow', 'begin begin', 'New', '00:00:00'],
    ['bad resolve later bad follow', 'begin', 'Resolved', '00:10:00'],
    ['bad resolve later later bad follow', 'begin begin', 'New', '00:10:00'],
  ])('%s, with its own time', (story, calls, units, reopenAfter) => expectOutcome(story, calls, units, { reopenAfter }));

  it.each(['Append', 'Reopen', 'New'])('opens the same unit again whatever the rule does with further matches: %s', (recurrence) =>
    expectOutcome('bad resolve later bad follow', 'begin begin', 'New', { recurrence }),
  );
});

const resolve = { expirationActions: [{ ActionDefinitionId: builtInAction.resolveWorkUnit, Parameters: {} }] };

describe("a unit that was opened again is nobody's until somebody takes it", () => {
  it.each([
    ['bad take expire', 'New', 'Append'],
    ['bad take resolve later bad follow expire', 'Resolved', 'Append'],
    ['bad take resolve later bad follow take expire', 'Resolved', 'Append'],
    ['bad take resolve later bad follow ack expire', 'Acknowledged', 'Append'],
    ['bad take resolve reopen expire', 'Resolved', 'Append'],
    ['bad take resolve expire bad expire', 'Resolved', 'Reopen'],
    ['bad take resolve reopen leave take expire', 'New', 'Append'],
  ])('%s: %s (%s)', (story, state, recurrence) =>
    expectOutcome(story, story.includes('follow') || recurrence === 'Reopen' ? 'begin begin' : 'begin', state, { recurrence, ...resolve }),
  );
});

describe('rules that open a unit for each match', () => {
  it('resolve at the end of a match its own unit, even if the next match is open', async () => {
    const late = { ...resolve, recurrence: 'New' };
    await expectOutcome('bad over bad tick', 'begin begin', 'Resolved New', late);
    await expectOutcome('bad over bad tick expire', 'begin begin', 'Resolved Resolved', late);
    // A match that is added to the unit keeps it open.
    await expectOutcome('bad over bad tick', 'begin', 'New', resolve);
  });
});
