import { describe, expect, it } from 'vitest';
import { decideMatches, explainHit, matchKey, type OpenMatch } from './decide-matches.ts';
import type { RuleHit } from './evaluate-entity.ts';
import { hitAt, ruleOf, web } from '../testing/hits.ts';

const never = () => false;
/** A time before the end of any match in these tests. */
const early = 1_500;

/** A match of the rule on `web` that opened at 1,000 and ends at 2,000. */
function openMatch(extra: Partial<OpenMatch> = {}): OpenMatch {
  return {
    ruleMatchId: 'm1',
    ruleId: 'r1',
    tenantId: 't1',
    subjectId: web.id,
    firstMatch: 1_000,
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

  it('runs its actions although the match is over only if the rule tells however late', () => {
    const over = (tellLate: boolean, inMaintenance = never) =>
      decide([hitAt(1_000, ruleOf({ tellLate }))], undefined, inMaintenance, 5_000).opened[0];
    expect(over(false)).toMatchObject({ closed: 2_000, suppressed: 'late' });
    expect(over(true)).toMatchObject({ closed: 2_000, suppressed: undefined });
    expect(over(true, () => true)).toMatchObject({ closed: 2_000, suppressed: 'maintenance' });
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

describe('a recovery', () => {
  const recovery = (at: number) => hitAt(at, ruleOf({ ruleId: 'r1-recovery', recovers: 'r1' }));

  it('ends the open match before its end, and opens none', () => {
    const match = openMatch();
    expect(decide([recovery(1_999)], match)).toEqual({ opened: [], repeated: [], ended: [match], revived: [] });
    expect(match).toMatchObject({ expires: 1_999, recovered: 1_999, matchCount: 1, over: { closed: early, late: false } });
    const nothing = { opened: [], repeated: [], ended: [], revived: [] };
    expect([decide([recovery(2_000)], openMatch()), decide([recovery(1_500)])]).toEqual([nothing, nothing]);
  });

  it('of a match that was hit in the same batch takes it from the repeated ones, and a later hit opens another', () => {
    const match = openMatch();
    const decision = decide([hitAt(1_200), recovery(1_300), recovery(1_350), hitAt(1_400)], match);
    expect(decision).toMatchObject({ repeated: [], ended: [match], opened: [{ firstMatch: 1_400 }] });
    expect(match).toMatchObject({ matchCount: 2, recovered: 1_300 });
  });

  it('ends a match that the batch opened', () => {
    const { opened, ended, repeated } = decide([hitAt(1_000), recovery(1_400)], undefined, never, 1_450);
    expect(opened).toMatchObject([{ expires: 1_400, recovered: 1_400, closed: 1_400, suppressed: 'late' }]);
    expect([ended, repeated]).toEqual([[], []]);
  });

  it('of a match that has ended makes it shorter in the record', () => {
    const match = openMatch({ over: { closed: 2_100, late: true } });
    const decision = decide([recovery(1_200)], match, never, 3_000);
    expect(decision).toEqual({ opened: [], repeated: [match], ended: [], revived: [] });
    expect(match).toMatchObject({ expires: 1_200, recovered: 1_200, over: { closed: 2_100, late: true } });
    const hit = openMatch({ over: { closed: 2_100, late: true } });
    const sliding = ruleOf({ sliding: true, lifetimeMs: 5_000 });
    expect(decide([hitAt(1_100, sliding), recovery(1_200)], hit, never, 3_000)).toMatchObject({ repeated: [hit], revived: [], ended: [] });
  });
});

describe('a late hit of a match that has ended', () => {
  const sliding = ruleOf({ sliding: true, lifetimeMs: 2_000 });
  const ended = (late: boolean, extra: Partial<OpenMatch> = {}) => openMatch({ over: { closed: 2_100, late }, ...extra });
  const of = (match: OpenMatch, at: number, now: number, rule = sliding, inMaintenance = never) => {
    const { opened, repeated, ended: over, revived } = decide([hitAt(at, rule)], match, inMaintenance, now);
    return [opened.length, repeated.length, over.length, revived.length];
  };

  it('counts in it where the end does not move, or the match stays over', () => {
    expect(of(ended(false), 1_500, 5_000, ruleOf())).toEqual([0, 1, 0, 0]);
    expect(of(ended(false), 1_500, 3_500)).toEqual([0, 1, 0, 0]);
    expect(of(ended(true), 1_500, 3_500)).toEqual([0, 1, 0, 0]);
  });

  it('opens another where the match would last longer than now, and its actions ran', () => {
    expect(of(ended(false), 1_500, 3_499)).toEqual([1, 0, 0, 0]);
    expect(of(ended(false), 2_000, 9_000)).toEqual([1, 0, 0, 0]);
    // A match that was extended beyond now is ended; a match that has already ended is not ended again.
    expect(of(ended(true, { expires: 4_000 }), 4_000, 3_000)).toEqual([1, 0, 1, 0]);
    expect(of(ended(true, { expires: 3_000 }), 4_000, 3_000)).toEqual([1, 0, 0, 0]);
  });

  it('makes a match that never ran last, with its actions', () => {
    const match = ended(true);
    const hit = hitAt(1_500, sliding);
    expect(decide([hit], match, never, 3_499).revived).toEqual([{ match, hit, suppressed: undefined }]);
    const inMaintenance = ended(true);
    expect(decide([hit], inMaintenance, () => true, 3_499).revived).toMatchObject([{ suppressed: 'maintenance' }]);
    // A match counts as over from its end on; a match that lasts longer anyway, or that has not ended in the record, needs no
    // revival.
    expect(of(ended(true), 1_500, 2_000)).toEqual([0, 1, 0, 1]);
    expect(of(ended(true), 1_500, 1_999)).toEqual([0, 1, 0, 0]);
    expect(of(openMatch(), 1_500, 3_499)).toEqual([0, 1, 0, 0]);
  });

  it('opens another where the actions of the match were cut off as a loop', () => {
    const match = openMatch({ muted: true });
    expect(decide([hitAt(1_500)], match)).toMatchObject({ opened: [{ firstMatch: 1_500 }], ended: [match], repeated: [] });
  });
});

describe('a rule whose matches must be clear for a time before they end', () => {
  const slow = ruleOf({ clearForMs: 300, lifetimeMs: 1_000 });
  const recovers = ruleOf({ ruleId: 'recovery', recovers: 'r1', clearForMs: 300, lifetimeMs: 1_000 });
  const better = (at: number) => hitAt(at, recovers);
  const worse = (at: number) => ({ ...better(at), isRelapse: true as const });

  it('puts off the end that its recovery set, until a hit or a relapse', () => {
    const match = openMatch();
    expect(decide([better(1_200)], match, never, 1_450)).toMatchObject({ repeated: [match], ended: [] });
    expect(match).toMatchObject({ expires: 1_500, recovered: 1_200 });
    // A further recovery changes nothing.
    decide([better(1_300)], match, never, 1_450);
    expect(match).toMatchObject({ expires: 1_500, recovered: 1_200 });
    decide([hitAt(1_400, slow)], match);
    expect(match).toMatchObject({ expires: 2_000, lastMatch: 1_400, matchCount: 2, resumed: true });
    expect(match.recovered).toBeUndefined();
    decide([better(1_450), worse(1_500)], match);
    expect([match.recovered, match.expires]).toEqual([undefined, 2_000]);
  });

  it('ends when it has been clear, and the next hit opens another', () => {
    const match = openMatch();
    const { ended, repeated, opened } = decide([better(1_200), hitAt(1_500, slow)], match, never, 1_600);
    expect([ended, repeated]).toEqual([[match], []]);
    expect(match).toMatchObject({ expires: 1_500, recovered: 1_200 });
    expect(opened).toMatchObject([{ firstMatch: 1_500, expires: 2_500 }]);
    const late = openMatch();
    expect(decide([better(1_200)], late, never, 1_501)).toMatchObject({ ended: [late], repeated: [] });
  });

  it('does not end by its lifetime either while it has hits', () => {
    const match = openMatch();
    decide([hitAt(1_900, slow)], match, never, 1_950);
    expect(match.expires).toBe(2_200);
    const [opened] = decide([hitAt(1_000, ruleOf({ clearForMs: 5_000, lifetimeMs: 1_000 }))]).opened;
    expect(opened?.expires).toBe(6_000);
  });
});

describe('the explanation of a hit', () => {
  it('holds each condition with the value that it saw', () => {
    expect(explainHit(hitAt(1_000))).toMatchObject({ groups: [true], conditions: [{ value: 95, satisfied: true }] });
  });
});
