/** An explanation in numbers and in one sentence. Pure. */
import { describe, expect, it } from 'vitest';
import type { EntityExplanation, RuleOfEntity } from '@cloudfit/contract/actions/explain.ts';
import { resultStatus } from '@cloudfit/contract/enums.ts';
import { englishWords } from '../../platform/rule-words.ts';
import type { ExplainedMatch } from './on-record.ts';
import { summaryOf, tallied } from './summary.ts';

type SummaryInput = Pick<EntityExplanation, 'packet' | 'rules' | 'actions' | 'maintenance'>;

const rule = (extra: Partial<RuleOfEntity> = {}) => ({ outcome: 'hit', match: null, actions: [], ...extra }) as unknown as RuleOfEntity;
const match = (extra: Partial<ExplainedMatch> = {}) => ({ heldSince: null, heldUntil: null, ...extra }) as ExplainedMatch;
const actionsOf = (...statuses: number[]) =>
  rule({ actions: statuses.map((resultStatusId) => ({ resultStatusId })) as RuleOfEntity['actions'] });
const window = {
  maintenanceWindowId: 'w',
  reason: 'New disk',
  until: '',
  isChange: false,
  workUnitId: null,
  publicWorkUnitId: null,
  selection: null,
};
const maintenance: SummaryInput['maintenance'] = { inMaintenance: true, rules: [], windows: [window], until: null };
const summary = (extra: Partial<SummaryInput> = {}) =>
  summaryOf(
    {
      packet: {} as SummaryInput['packet'],
      rules: [rule({ match: match() })],
      actions: { run: 0, waiting: 0, failed: 0, suppressed: 0 },
      maintenance: { ...maintenance, inMaintenance: false, windows: [] },
      ...extra,
    },
    englishWords,
  );
const actions = (extra: Partial<SummaryInput['actions']>) => ({ run: 0, waiting: 0, failed: 0, suppressed: 0, ...extra });

it('counts actions by what became of them, over all rules', () => {
  const { success, enqueueSuccess, suppressed } = resultStatus;
  expect(tallied([actionsOf(success, enqueueSuccess, suppressed), actionsOf(success, -1, -2, suppressed, success), actionsOf()])).toEqual({
    run: 3,
    waiting: 1,
    failed: 2,
    suppressed: 2,
  });
  expect(tallied([])).toEqual(actions({}));
});

describe('the sentence', () => {
  it('says of nothing that held whether there was a packet', () => {
    const without = [rule({ outcome: 'miss' })];
    expect(summary({ rules: without })).toBe('No rule held, so nobody was notified.');
    expect(summary({ rules: [...without, rule({ outcome: 'stale' })] })).toBe(
      'The packet was older than the latest one when it came, so it was stored and not evaluated.',
    );
    const none = 'The entity had not sent a packet by then, and no rule on silence held.';
    expect([summary({ rules: without, packet: null }), summary({ rules: [rule({ outcome: 'stale' })], packet: null })]).toEqual([
      none,
      none,
    ]);
  });

  it('counts rules and actions', () => {
    expect(summary()).toBe('1 rule held, no action of theirs is on record.');
    expect(summary({ rules: [rule({ match: match() }), rule({ match: match() }), rule()], actions: actions({ run: 1 }) })).toBe(
      '2 rules held, 1 action ran.',
    );
    expect(summary({ actions: { run: 2, waiting: 1, failed: 3, suppressed: 1 } })).toBe(
      '1 rule held, 2 actions ran, 1 action will be tried again, 3 actions failed, 1 action did not run.',
    );
    expect(summary({ actions: actions({ suppressed: 2 }) })).toBe('1 rule held, 2 actions did not run.');
  });

  it('says what holds the actions of a match, while it does', () => {
    const ofHeld = (extra: Partial<ExplainedMatch>, until: string | null = null) =>
      summary({ rules: [rule({ match: match(extra) })], actions: actions({ suppressed: 1 }), maintenance: { ...maintenance, until } });
    const heldSince = '2026-01-01T00:00:00.000Z';
    expect(ofHeld({ heldSince })).toBe('1 rule held, actions are held by the maintenance "New disk".');
    expect(ofHeld({ heldSince }, 'noon')).toBe('1 rule held, actions are held by the maintenance "New disk" until noon.');
    for (const over of [{ heldSince, heldUntil: heldSince }, {}]) expect(ofHeld(over)).toBe('1 rule held, 1 action did not run.');
  });
});
