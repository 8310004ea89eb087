import { describe, expect, it } from 'vitest';
import { decideMatches, explainHit, matchKey, type OpenMatch } from './decide-matches.ts';
import type { RuleHit } from './evaluate-entity.ts';
import { hitAt, ruleOf, web } from './testing/hits.ts';

const never = () => false;
/** Before any of the matches here ends. */
const early = 1_500;

/** A match of the rule on `web` that opened at 1,000 and ends at 2,000. */
function openMatch(extra: Partial<OpenMatch> = {}): OpenMatch {
  return {
    ruleMatchId: 'm1',
    ruleId: 'r1',
    tenantId: 't1',
    subjectId: web.id,
    expires: 2_000,
    lastMatch: 1_000,
    matchCount: 1,
    inMaintenance: false,
    ...extra,
  };
}

function decide(hits: readonly RuleHit[], match?: OpenMatch, inMaintenance: (hit: RuleHit) => boolean = never, now = early) {
  return decideMatches(hits, new Map(match ? [[matchKey('r1', web.id), match]] : []), inMaintenance, now);
}

describe('a first hit', () => {
  it('opens a match for the lifetime of its rule, counted from the packet', () => {
    const hit = hitAt(1_000);
    const { opened, repeated, ended } = decide([hit]);
    expect(opened).toEqual([
      {
        ruleMatchId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        ruleId: 'r1',
        tenantId: 't1',
        subjectId: web.id,
        hit,
        inMaintenance: false,
        firstMatch: 1_000,
        lastMatch: 1_000,
        expires: 2_000,
        matchCount: 1,
        suppressed: undefined,
        closed: undefined,
      },
    ]);
    expect([repeated, ended]).toEqual([[], []]);
  });

  it('opens one match for each rule and for each entity', () => {
    const hits = [hitAt(1_000), hitAt(1_000, ruleOf({ ruleId: 'r2' })), hitAt(1_000, ruleOf(), { ...web, id: 'other' })];
    expect(decide(hits).opened.map((match) => [match.ruleId, match.subjectId])).toEqual([
      ['r1', 'web'],
      ['r2', 'web'],
      ['r1', 'other'],
    ]);
  });

  it('is suppressed in maintenance', () => {
    expect(decide([hitAt(1_000)], undefined, () => true).opened).toMatchObject([
      { inMaintenance: true, suppressed: 'maintenance', closed: undefined },
    ]);
  });
});

describe('a later hit', () => {
  it('repeats the match until the millisecond before its end, and opens another at its end', () => {
    const before = openMatch();
    expect(decide([hitAt(1_999)], before)).toEqual({ opened: [], repeated: [before], ended: [], revived: [] });
    expect(before).toMatchObject({ matchCount: 2, lastMatch: 1_999, expires: 2_000 });
    const at = openMatch();
    const { opened, repeated, ended } = decide([hitAt(2_000)], at);
    expect([opened.length, repeated, ended]).toEqual([1, [], [at]]);
    expect(opened[0]).toMatchObject({ firstMatch: 2_000, expires: 3_000 });
    expect(at).toEqual(openMatch());
  });

  it('moves the end where expiration slides, and never back', () => {
    const sliding = ruleOf({ sliding: true });
    const match = openMatch();
    decide([hitAt(1_400, sliding)], match);
    expect(match.expires).toBe(2_400);
    const long = openMatch({ expires: 9_000 });
    decide([hitAt(1_400, sliding)], long);
    expect(long.expires).toBe(9_000);
  });

  it('never moves the last hit back', () => {
    const match = openMatch({ lastMatch: 1_800 });
    decide([hitAt(1_400)], match);
    expect(match).toMatchObject({ lastMatch: 1_800, matchCount: 2 });
  });

  it('marks the match as in maintenance, which a hit after the maintenance does not take back', () => {
    const match = openMatch();
    decide([hitAt(1_400), hitAt(1_600)], match, (hit) => hit.packet.timestamp === 1_400);
    expect(match.inMaintenance).toBe(true);
    const [opened] = decide([hitAt(1_000), hitAt(1_100)], undefined, (hit) => hit.packet.timestamp === 1_100).opened;
    expect(opened).toMatchObject({ inMaintenance: true, suppressed: 'maintenance', matchCount: 2 });
  });

  it('is reported once as a repetition, and not at all when the match ended in the same batch', () => {
    const match = openMatch();
    expect(decide([hitAt(1_200), hitAt(1_300)], match).repeated).toEqual([match]);
    expect(match.matchCount).toBe(3);
    const other = openMatch({ ruleMatchId: 'm2', ruleId: 'r2' });
    const ending = openMatch();
    const both = new Map([
      [matchKey('r1', web.id), ending],
      [matchKey('r2', web.id), other],
    ]);
    const decision = decideMatches([hitAt(1_200, ruleOf({ ruleId: 'r2' })), hitAt(1_200), hitAt(2_500)], both, never, early);
    expect(decision).toMatchObject({ repeated: [other], ended: [ending], opened: [{ firstMatch: 2_500 }] });
  });
});

describe('a match that ends within its batch', () => {
  it('is closed at its end, and its successor opens', () => {
    const { opened, ended, repeated } = decide([hitAt(1_000), hitAt(1_999), hitAt(2_500)]);
    expect(opened).toMatchObject([
      { firstMatch: 1_000, matchCount: 2, closed: 2_000 },
      { firstMatch: 2_500, matchCount: 1, closed: undefined },
    ]);
    expect([ended, repeated]).toEqual([[], []]);
  });

  it('is late from the moment at which it is over, also in maintenance', () => {
    expect(decide([hitAt(1_000)], undefined, never, 1_999).opened).toMatchObject([{ closed: undefined, suppressed: undefined }]);
    expect(decide([hitAt(1_000)], undefined, never, 2_000).opened).toMatchObject([{ closed: 2_000, suppressed: 'late' }]);
    expect(decide([hitAt(1_000)], undefined, () => true, 2_000).opened).toMatchObject([{ closed: 2_000, suppressed: 'late' }]);
  });
});

describe('the explanation of a hit', () => {
  it('holds each condition with the value that it saw', () => {
    expect(explainHit(hitAt(1_000))).toMatchObject({ groups: [true], conditions: [{ value: 95, satisfied: true }] });
  });
});
