/**
 * The life of a match in many situations, each with its expected result. The steps of a situation are words of
 * `testing/life.ts`. Outcomes that a row omits are empty: no calls, no colour, nothing suppressed, no unit.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLifeWorld, type LifeWorld } from '../testing/life.ts';

let world: LifeWorld;
beforeAll(async () => {
  world = await createLifeWorld();
});
afterAll(() => world.close());

interface Outcome {
  calls?: string;
  color?: string;
  matches: string;
  notRun?: string;
  units?: string;
}

/** A rule whose matches end when Cpu is below 50. */
const recovering = { recoveryConditions: [{ Type: 'And', LeftOperand: 62, LeftOperandFieldName: 'Cpu', Operator: 4, RightOperand: '50' }] };

async function expectOutcome(story: string, outcome: Outcome, rule?: object): Promise<void> {
  expect(await world.play(story, { ...rule })).toEqual({ calls: '', color: '', notRun: '', units: '', ...outcome });
}

const begun = { calls: 'begin', color: 'red', units: 'New' };
const ended = { calls: 'begin end', color: 'green', units: 'New' };
const suspended = 'match:maintenance';

describe('a match in maintenance', () => {
  const situations: [string, Outcome][] = [
    ['bad', { ...begun, matches: 'open 1' }],
    ['bad expire', { ...ended, matches: 'closed 1' }],
    ['maintain bad', { matches: 'open+held 1', notRun: suspended }],
    ['maintain bad sweep', { matches: 'open+held 1', notRun: suspended }],
    ['maintain bad bad good bad sweep', { matches: 'open+held 3', notRun: suspended }],
    ['maintain bad unmaintain sweep', { ...begun, matches: 'open 1', notRun: suspended }],
    ['maintain bad forget sweep', { ...begun, matches: 'open 1', notRun: suspended }],
    ['maintain bad close sweep', { ...begun, matches: 'open 1', notRun: suspended }],
    ['maintain bad unmaintain sweeps sweep', { ...begun, matches: 'open 1', notRun: suspended }],
    ['maintain bad unmaintain bad sweep', { ...begun, matches: 'open 2', notRun: suspended }],
    ['maintain bad unmaintain sweep bad', { ...begun, matches: 'open 2', notRun: suspended }],
    ['maintain bad restart unmaintain restart sweep restart sweep', { ...begun, matches: 'open 1', notRun: suspended }],
    ['maintain bad unmaintain sweep expire', { ...ended, matches: 'closed 1', notRun: suspended }],
    ['maintain bad unmaintain sweep ack expire', { ...ended, units: 'Acknowledged', matches: 'closed 1', notRun: suspended }],
    [
      'maintain bad expire',
      { color: 'green', matches: 'closed 1', notRun: `${suspended} match:endedInMaintenance expiration:endedInMaintenance` },
    ],
    [
      'maintain bad expire unmaintain sweep',
      { color: 'green', matches: 'closed 1', notRun: `${suspended} match:endedInMaintenance expiration:endedInMaintenance` },
    ],
    [
      'maintain bad unmaintain expire sweep',
      { color: 'green', matches: 'closed 1', notRun: `${suspended} match:endedInMaintenance expiration:endedInMaintenance` },
    ],
    ['maintain bad unmaintain sweep maintain sweep unmaintain sweep', { ...begun, matches: 'open 1', notRun: suspended }],
    ['bad maintain sweep', { ...begun, matches: 'open 1' }],
    ['bad maintain bad sweep unmaintain sweep', { ...begun, matches: 'open 2' }],
    ['bad maintain sweep expire', { ...begun, color: 'green', matches: 'closed+held 1', notRun: 'expiration:maintenance' }],
    ['bad maintain sweep expire unmaintain sweep', { ...ended, matches: 'closed 1', notRun: 'expiration:maintenance' }],
    ['bad maintain sweep expire unmaintain sweeps sweep', { ...ended, matches: 'closed 1', notRun: 'expiration:maintenance' }],
    ['bad maintain sweep unmaintain sweep expire', { ...ended, matches: 'closed 1' }],
    ['bad@-60 maintain bad@-30 sweep', { ...begun, matches: 'open 2' }],
    ['maintain bad@-60 sweep unmaintain sweep', { ...begun, matches: 'open 1', notRun: suspended }],
    ['maintain bad@-600', { matches: 'closed 1', notRun: 'match:late expiration:late' }],
    [
      'maintain bad expire bad unmaintain sweep',
      {
        ...begun,
        matches: 'closed 1, open 1',
        notRun: `${suspended} match:endedInMaintenance expiration:endedInMaintenance ${suspended}`,
      },
    ],
    [
      'bad maintain sweep expire bad unmaintain sweep',
      {
        ...begun,
        matches: 'closed 1, open 1',
        notRun: `expiration:maintenance ${suspended} expiration:cameBack match:appended`,
      },
    ],
    [
      'bad maintain sweep expire bad unmaintain sweep maintain sweep expire bad unmaintain sweep expire',
      {
        calls: 'begin end',
        color: 'green',
        units: 'New',
        matches: 'closed 1, closed 1, closed 1',
        notRun: `expiration:maintenance ${suspended} expiration:cameBack match:appended expiration:maintenance ${suspended} expiration:cameBack match:appended`,
      },
    ],
    [
      'bad expire maintain bad expire bad unmaintain sweep',
      {
        calls: 'begin end begin',
        color: 'red',
        units: 'New',
        matches: 'closed 1, closed 1, open 1',
        notRun: `${suspended} match:endedInMaintenance expiration:endedInMaintenance ${suspended}`,
      },
    ],
  ];
  it.each(situations)('%s', expectOutcome);
});

describe('a match in a maintenance that a person started', () => {
  const situations: [string, Outcome][] = [
    ['hold bad sweep', { matches: 'open+held 1', notRun: suspended }],
    ['hold bad release sweep', { ...begun, matches: 'open 1', notRun: suspended }],
    ['hold bad release sweeps sweep', { ...begun, matches: 'open 1', notRun: suspended }],
    ['hold bad extend sweep', { matches: 'open+held 1', notRun: suspended }],
    ['hold bad extend release sweep', { ...begun, matches: 'open 1', notRun: suspended }],
    ['hold bad restart sweep release restart sweep', { ...begun, matches: 'open 1', notRun: suspended }],
    ['hold bad maintain release sweep', { matches: 'open+held 1', notRun: suspended }],
    ['hold bad maintain release unmaintain sweep', { ...begun, matches: 'open 1', notRun: suspended }],
    [
      'hold bad expire',
      { color: 'green', matches: 'closed 1', notRun: `${suspended} match:endedInMaintenance expiration:endedInMaintenance` },
    ],
    ['hold release bad', { ...begun, matches: 'open 1' }],
    ['bad hold sweep expire', { ...begun, color: 'green', matches: 'closed+held 1', notRun: 'expiration:maintenance' }],
    ['bad hold sweep expire release sweep', { ...ended, matches: 'closed 1', notRun: 'expiration:maintenance' }],
  ];
  it.each(situations)('%s', expectOutcome);
});

describe('a match whose rule or device changes', () => {
  const situations: [string, Outcome][] = [
    ['bad disable', { ...begun, matches: 'open 1' }],
    ['bad disable bad', { ...begun, matches: 'open 1' }],
    ['bad disable expire', { ...ended, matches: 'closed 1' }],
    ['bad disable enable bad', { ...begun, matches: 'open 2' }],
    ['bad delete expire', { ...begun, color: 'green', matches: 'closed 1', notRun: 'expiration:ruleDeleted' }],
    ['bad delete restart expire', { ...begun, color: 'green', matches: 'closed 1', notRun: 'expiration:ruleDeleted' }],
    ['bad maintain sweep disable expire', { ...begun, color: 'green', matches: 'closed+held 1', notRun: 'expiration:maintenance' }],
    ['bad maintain sweep disable expire unmaintain sweep', { ...ended, matches: 'closed 1', notRun: 'expiration:maintenance' }],
    ['bad maintain sweep delete expire', { ...begun, color: 'green', matches: 'closed 1', notRun: 'expiration:ruleDeleted' }],
    [
      'bad maintain sweep expire delete unmaintain sweep',
      { ...begun, color: 'green', matches: 'closed 1', notRun: 'expiration:maintenance expiration:ruleDeleted' },
    ],
    ['maintain bad disable unmaintain sweep', { matches: 'open 1', notRun: `${suspended} match:ruleDisabled` }],
    ['maintain bad delete unmaintain sweep', { matches: 'open 1', notRun: `${suspended} match:ruleDeleted` }],
    ['maintain bad disable enable unmaintain sweep', { ...begun, matches: 'open 1', notRun: suspended }],
    ['maintain bad remove unmaintain sweep', { matches: 'open 1', notRun: `${suspended} match:subjectGone` }],
    ['maintain bad remove sweep', { matches: 'open 1', notRun: `${suspended} match:subjectGone` }],
  ];
  it.each(situations)('%s', expectOutcome);
});

describe('a match of packets that come twice, late or after a restart', () => {
  const situations: [string, Outcome][] = [
    ['twice', { ...begun, matches: 'open 1' }],
    ['race', { ...begun, matches: 'open 1' }],
    ['race race expire', { ...ended, matches: 'closed 2' }],
    ['bad restart bad', { ...begun, matches: 'open 2' }],
    ['bad restart expire restart expire', { ...ended, matches: 'closed 1' }],
    ['good', { matches: '' }],
    ['bad good', { ...begun, matches: 'open 1' }],
    ['bad ack bad', { ...begun, units: 'Acknowledged', matches: 'open 2' }],
    ['bad ack expire', { ...ended, units: 'Acknowledged', matches: 'closed 1' }],
    ['bad@-60', { ...begun, matches: 'open 1' }],
    ['bad@-600', { matches: 'closed 1', notRun: 'match:late expiration:late' }],
    ['good bad@-60', { matches: '' }],
    // A clock that is ahead hides nothing: the packet is evaluated at its time of receipt.
    ['good@240 bad', { ...begun, matches: 'open 1' }],
    ['bad@240', { ...begun, matches: 'open 1' }],
    ['bad@240 bad', { ...begun, matches: 'open 2' }],
    ['bad@240 good bad@200 bad', { ...begun, matches: 'open 3' }],
    ['bad@240 expire', { ...ended, matches: 'closed 1' }],
    ['bad@3 bad', { ...begun, matches: 'open 2' }],
    ['bad@-200 bad@-100 bad', { ...begun, matches: 'open 3' }],
    ['bad@-400 bad@-350 bad', { ...begun, matches: 'closed 2, open 1', notRun: 'match:late expiration:late' }],
    ['bad@-600 restart bad@-400', { matches: 'closed 2', notRun: 'match:late expiration:late' }],
    ['bad@-200 restart bad@-100 restart bad', { ...begun, matches: 'open 3' }],
  ];
  it.each(situations)('%s', expectOutcome);
});

describe('a match of a rule with recovery conditions', () => {
  const situations: [string, Outcome][] = [
    ['bad', { ...begun, matches: 'open 1' }],
    ['bad middling', { ...begun, matches: 'open 1' }],
    ['bad middling bad', { ...begun, matches: 'open 2' }],
    ['bad good tick', { ...ended, matches: 'closed 1' }],
    ['bad bad good tick good', { ...ended, matches: 'closed 2' }],
    ['bad restart good tick', { ...ended, matches: 'closed 1' }],
    ['bad good tick tick restart tick', { ...ended, matches: 'closed 1' }],
    ['good', { matches: '' }],
    ['bad maintain sweep good tick', { ...begun, color: 'green', matches: 'closed+held 1', notRun: 'expiration:maintenance' }],
    [
      'maintain bad good tick unmaintain sweep',
      { color: 'green', matches: 'closed 1', notRun: `${suspended} match:endedInMaintenance expiration:endedInMaintenance` },
    ],
    ['maintain bad unmaintain sweep good tick', { ...ended, matches: 'closed 1', notRun: suspended }],
    ['bad disable good tick', { ...begun, matches: 'open 1' }],
    ['bad delete good expire', { ...begun, color: 'green', matches: 'closed 1', notRun: 'expiration:ruleDeleted' }],
    // Nobody was told of the end yet, so it is told first, and then the new match.
    ['bad@-200 good@-100 bad@-50', { ...begun, calls: 'begin begin end', matches: 'closed 1, open 1' }],
  ];
  it.each(situations)('%s', (story, outcome) => expectOutcome(story, outcome, recovering));
});

describe('a match that must be clear for a time before it ends', () => {
  const slow = { ...recovering, clearFor: '00:10:00' };
  const situations: [string, Outcome][] = [
    ['bad good tick', { ...begun, matches: 'open 1' }],
    ['bad good bad good bad good tick', { ...begun, matches: 'open 3' }],
    ['bad good restart bad restart good tick', { ...begun, matches: 'open 2' }],
    ['bad good over tick', { ...ended, matches: 'closed 1' }],
    ['bad good bad over tick', { ...ended, matches: 'closed 2' }],
    ['bad good over tick bad', { calls: 'begin end begin', color: 'red', units: 'New', matches: 'closed 1, open 1' }],
  ];
  it.each(situations)('%s', (story, outcome) => expectOutcome(story, outcome, slow));
});
