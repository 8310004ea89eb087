/** When the next ring of a campaign may begin, at the limits of each reason. */
import { describe, expect, it } from 'vitest';
import { usualGate, verdictOf, type RingFacts } from './ring.rules.ts';

const ofTwenty: RingFacts = { counted: 20, failed: 0, succeeded: 19, unreported: 0, silent: 0, match: null };
const verdict = (facts: Partial<RingFacts>, gate = usualGate) => verdictOf(gate, { ...ofTwenty, ...facts });
const passes = { kind: 'passes' };
const waits = (reason: string) => ({ kind: 'waits', reason });
const fails = (reason: string) => ({ kind: 'fails', reason });

describe('a ring of a campaign', () => {
  it('passes when as many devices have succeeded as the gate needs', () => {
    expect(verdict({})).toEqual(passes);
    expect(verdict({ succeeded: 18 })).toEqual(waits('Succeeded: 18 of 20, needed: 19.'));
    expect(verdict({ succeeded: 18, unreported: 1 })).toEqual(waits('Succeeded: 18 of 20, needed: 19, not reported since: 1.'));
  });

  it('rounds the number of devices that the gate needs up', () => {
    const half = { ...usualGate, minShare: 50 };
    expect(verdict({ counted: 3, succeeded: 2 }, half)).toEqual(passes);
    expect(verdict({ counted: 3, succeeded: 1 }, half)).toEqual(waits('Succeeded: 1 of 3, needed: 2.'));
  });

  it('fails when so many have failed or are silent that too few can succeed', () => {
    expect(verdict({ failed: 1 })).toEqual(passes);
    expect(verdict({ silent: 1 })).toEqual(passes);
    expect(verdict({ failed: 2 })).toEqual(fails('Of 20 devices 2 failed; 95 % must succeed.'));
    expect(verdict({ silent: 2 })).toEqual(fails('Of 20 devices 2 did not report afterwards; 95 % must succeed.'));
    const both = 'Of 20 devices 1 failed and 1 did not report afterwards; 95 % must succeed.';
    expect(verdict({ failed: 1, silent: 1 })).toEqual(fails(both));
    expect(verdict({ counted: 1, failed: 1, succeeded: 0 })).toEqual(fails('Of 1 device 1 failed; 95 % must succeed.'));
  });

  it('waits for a person when no device could try', () => {
    expect(verdict({ counted: 0, succeeded: 0 })).toEqual(waits('No device of this ring could try. Continue by hand, or stop.'));
  });

  it('fails when a rule of the gate has matched, even if all devices have succeeded', () => {
    const match = { rule: 'High CPU', device: 'web-1' };
    expect(verdict({ succeeded: 20, match })).toEqual(fails('The rule High CPU matched on web-1.'));
  });
});

describe('a ring of a campaign that changes a rule', () => {
  const rule = { isRule: true, succeeded: 0 };

  it('fails when the new version has matched on too many devices', () => {
    const reason = 'The new version matched on 2 of 20 devices; 95 % must stay without a match.';
    expect(verdict({ ...rule, failed: 2 })).toEqual(fails(reason));
    expect(verdict({ ...rule, failed: 1 })).toEqual(waits('1 of 20 devices matched so far, limit 1.'));
  });

  it('tells while it waits how many devices have not reported', () => {
    expect(verdict({ ...rule, awaited: 3 })).toEqual(waits('0 of 20 devices matched so far, limit 1. Not reported yet: 3.'));
    expect(verdict({ ...rule, awaited: 0 })).toEqual(waits('0 of 20 devices matched so far, limit 1.'));
    expect(verdict({ ...rule, succeeded: 19, awaited: 1 })).toEqual(passes);
  });

  it('fails first of all when the new version cannot be evaluated', () => {
    const facts = { ...rule, failed: 2, fault: 'No such field.', match: { rule: 'High CPU', device: 'web-1' } };
    expect(verdict(facts)).toEqual(fails('The new version cannot be evaluated: No such field.'));
  });
});
