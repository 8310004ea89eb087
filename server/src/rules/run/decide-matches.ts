/** Turns hits into matches: decides which open, which are repeated and which ended before the next hit. Pure. */
import { evaluate } from '@cloudfit/contract/rules/evaluate/evaluate.ts';
import type { RuleHit } from './evaluate-entity.ts';
import { uuidV7 } from '../../platform/uuid-v7.ts';

/** A match that hits can repeat or end. Times are epoch milliseconds. */
export interface OpenMatch {
  ruleMatchId: string;
  ruleId: string;
  tenantId: string;
  subjectId: string;
  firstMatch: number;
  expires: number;
  lastMatch: number;
  matchCount: number;
  inMaintenance: boolean;
  /** Since when the recovery conditions hold. The match ends as soon as they have held as long as the rule says. */
  recovered?: number;
  /** Whether a hit has put off the end that a recovery had set. */
  resumed?: true;
  /**
   * Whether the actions of the match were suppressed because of a loop, while the new hit is not part of a loop: the match
   * ends, so that the hit opens another one.
   */
  muted?: boolean;
  /**
   * Set when the match has ended in the record. It lasted until `expires`, so a late packet from before `expires` still
   * counts in it.
   */
  over?: { closed: number; /** Whether it had ended before it was written, so that its actions never ran. */ late: boolean };
}

export type SuppressionReason = 'late' | 'maintenance';

export interface NewMatch extends OpenMatch {
  /** The hit that opened the match. */
  hit: RuleHit;
  /**
   * Why the actions of the match do not run now: the match had ended before it was written, and the rule does not tell however
   * late, or a maintenance holds them.
   */
  suppressed: SuppressionReason | undefined;
  /** Set when the match ended before the batch was written; the database then never shows it open. */
  closed: number | undefined;
}

export interface Decision {
  opened: NewMatch[];
  /** Earlier matches that got a hit. */
  repeated: OpenMatch[];
  /** Earlier matches that ended before a later hit. Their expiration actions are not queued yet. */
  ended: OpenMatch[];
  /** Matches whose actions never ran because they were over, and that a later hit of the same buffer extends beyond now. */
  revived: { match: OpenMatch; hit: RuleHit; suppressed: SuppressionReason | undefined }[];
}

function isNew(match: OpenMatch | NewMatch): match is NewMatch {
  return 'hit' in match;
}

export function matchKey(ruleId: string, subjectId: string): string {
  return `${ruleId} ${subjectId}`;
}

/** The match that a hit opens, repeats or ends. */
export function keyOfHit({ rule, entity }: RuleHit): string {
  return matchKey(rule.rule.recovers ?? rule.ruleId, entity.id);
}

/** When a match ends that has no further hit: after its lifetime, and not before it was clear as long as its rule says. */
function endOf({ firstMatch, lastMatch }: Pick<OpenMatch, 'firstMatch' | 'lastMatch'>, { rule: { rule } }: RuleHit): number {
  return Math.max((rule.sliding ? lastMatch : firstMatch) + rule.lifetimeMs, lastMatch + (rule.clearForMs ?? 0));
}

/** Ends a match because its recovery conditions hold, at once or when it has been clear as long as its rule says. */
function recover(decision: Decision, match: OpenMatch | NewMatch, hit: RuleHit, now: number): OpenMatch | NewMatch {
  const at = hit.packet.timestamp;
  const { clearForMs = 0 } = hit.rule.rule;
  // A further recovery puts nothing off.
  if (clearForMs > 0 && match.recovered !== undefined) return match;
  match.expires = at + clearForMs;
  match.recovered = at;
  delete match.resumed;
  if (isNew(match)) return match;
  if (clearForMs === 0 || match.expires <= now) decision.revived = decision.revived.filter((item) => item.match !== match);
  if (match.over || clearForMs > 0) {
    if (!decision.repeated.includes(match)) decision.repeated.push(match);
    return match;
  }
  decision.repeated = decision.repeated.filter((other) => other !== match);
  decision.ended.push(match);
  match.over = { closed: now, late: false };
  return match;
}

/** Keeps a match whose recovery conditions no longer hold; it ends by its lifetime again. */
function relapse(decision: Decision, match: OpenMatch | NewMatch, hit: RuleHit): OpenMatch | NewMatch {
  delete match.recovered;
  match.resumed = true;
  match.expires = Math.max(endOf(match, hit), hit.packet.timestamp);
  if (!isNew(match) && !decision.repeated.includes(match)) decision.repeated.push(match);
  return match;
}

function open(hit: RuleHit, inMaintenance: boolean, now: number): NewMatch {
  const at = hit.packet.timestamp;
  return {
    ruleMatchId: uuidV7(now),
    ruleId: hit.rule.ruleId,
    tenantId: hit.entity.tenantId,
    subjectId: hit.entity.id,
    hit,
    inMaintenance,
    firstMatch: at,
    lastMatch: at,
    expires: endOf({ firstMatch: at, lastMatch: at }, hit),
    matchCount: 1,
    suppressed: undefined,
    closed: undefined,
  };
}

/** Whether the match has ended after its actions ran. One that had ended before it was written goes on with later packets. */
function hasEnded({ over }: OpenMatch): boolean {
  return over !== undefined && !over.late;
}

/** How long a hit puts off the end of its match. */
function extensionOf({ rule: { rule } }: RuleHit): number {
  return Math.max(rule.sliding ? rule.lifetimeMs : 0, rule.clearForMs ?? 0);
}

function repeat(match: OpenMatch, hit: RuleHit, inMaintenance: boolean): void {
  const at = hit.packet.timestamp;
  match.matchCount += 1;
  match.lastMatch = Math.max(match.lastMatch, at);
  if (match.recovered !== undefined && !hasEnded(match)) {
    delete match.recovered;
    match.resumed = true;
    match.expires = endOf(match, hit);
  } else if (extensionOf(hit) > 0 && !(match.over && hit.isOutOfOrder)) {
    // A hit out of order does not extend what later packets have ended.
    match.expires = Math.max(match.expires, at + extensionOf(hit));
  }
  if (inMaintenance) match.inMaintenance = true;
}

/** Whether the hit counts in the match. If the match is over and its actions ran, the hit must not extend it beyond now. */
function countsIn(match: OpenMatch | NewMatch, hit: RuleHit, now: number): boolean {
  const { timestamp } = hit.packet;
  if (match.muted || timestamp >= match.expires) return false;
  return hit.isOutOfOrder || !match.over || match.over.late || extensionOf(hit) === 0 || timestamp + extensionOf(hit) <= now;
}

/** Takes a hit or a recovery that is older than the first hit of the match that is known. */
function takeEarlier(
  decision: Decision,
  earlier: Map<string, NewMatch>,
  key: string,
  hit: RuleHit,
  inMaintenance: (hit: RuleHit) => boolean,
  now: number,
): void {
  const before = earlier.get(key);
  const isOpen = before !== undefined && hit.packet.timestamp < before.expires;
  if (hit.isRelapse) {
    if (isOpen && before.recovered !== undefined) relapse(decision, before, hit);
  } else if (hit.rule.rule.recovers !== undefined) {
    if (isOpen) recover(decision, before, hit, now);
  } else if (isOpen) repeat(before, hit, inMaintenance(hit));
  else {
    if (before) decision.opened.push({ ...before, closed: before.expires });
    earlier.set(key, open(hit, inMaintenance(hit), now));
  }
}

/** Makes one match of that of earlier hits and the one that is known, unless the earlier one had ended before. */
function join(decision: Decision, first: NewMatch, match: OpenMatch | NewMatch | undefined): void {
  if (!match || first.expires <= match.firstMatch) {
    decision.opened.push({ ...first, closed: first.expires });
    return;
  }
  match.firstMatch = first.firstMatch;
  match.matchCount += first.matchCount;
  if (first.inMaintenance) match.inMaintenance = true;
  if (extensionOf(first.hit) === 0 && !match.over) match.expires = Math.min(match.expires, first.expires);
  if (!isNew(match) && !decision.repeated.includes(match) && !decision.ended.includes(match)) decision.repeated.push(match);
}

/**
 * Decides about the hits of a batch. `hits` of one entity are in order of time; `openBefore` contains the open matches by
 * `matchKey`, or the last match that was open at the time of a hit. Lifetimes count in the time of the packets, so that matches
 * do not depend on how a buffer is split into batches. A match that ended by `now` is closed as late.
 */
export function decideMatches(
  hits: readonly RuleHit[],
  openBefore: ReadonlyMap<string, OpenMatch>,
  inMaintenance: (hit: RuleHit) => boolean,
  now: number,
): Decision {
  const decision: Decision = { opened: [], repeated: [], ended: [], revived: [] };
  /** Matches of hits out of order, before the match that is known. */
  const earlier = new Map<string, NewMatch>();
  const current = new Map<string, OpenMatch | NewMatch>();
  const currentMatch = (key: string) => current.get(key) ?? openBefore.get(key);

  for (const hit of hits) {
    const key = keyOfHit(hit);
    const match = currentMatch(key);
    if (match && hit.isOutOfOrder && hit.packet.timestamp < match.firstMatch) {
      takeEarlier(decision, earlier, key, hit, inMaintenance, now);
      continue;
    }
    if (hit.isRelapse) {
      const recovers = match && !hasEnded(match) && match.recovered !== undefined && hit.packet.timestamp < match.expires;
      if (recovers) current.set(key, relapse(decision, match, hit));
      continue;
    }
    if (hit.rule.rule.recovers !== undefined) {
      if (match && hit.packet.timestamp < match.expires) current.set(key, recover(decision, match, hit, now));
      continue;
    }
    const isInMaintenance = inMaintenance(hit);
    if (match && countsIn(match, hit, now)) {
      const wasOver = match.expires <= now;
      repeat(match, hit, isInMaintenance);
      if (match.over && wasOver && match.expires > now)
        decision.revived.push({ match, hit, suppressed: isInMaintenance ? 'maintenance' : undefined });
      if (!isNew(match) && !current.has(key)) decision.repeated.push(match);
      current.set(key, match);
      continue;
    }
    if (match && isNew(match)) match.closed = match.expires;
    else if (match && (!match.over || match.expires > now)) {
      decision.ended.push(match);
      decision.repeated = decision.repeated.filter((other) => other !== match);
    }
    const next = open(hit, isInMaintenance, now);
    decision.opened.push(next);
    current.set(key, next);
  }

  for (const [key, first] of earlier) join(decision, first, currentMatch(key));
  const clear = decision.repeated.filter(
    (match) => !match.over && (match.recovered !== undefined || match.resumed) && match.expires <= now,
  );
  for (const match of clear) {
    decision.repeated.splice(decision.repeated.indexOf(match), 1);
    decision.ended.push(match);
    match.over = { closed: now, late: false };
  }
  for (const match of decision.opened) {
    if (match.expires <= now) match.closed = match.expires;
    if (match.expires <= now && !match.hit.rule.rule.tellLate && !match.hit.isOutOfOrder) {
      match.suppressed = 'late';
    } else if (match.inMaintenance) match.suppressed = 'maintenance';
  }
  return decision;
}

/** The trace of the hit that opened the match: each condition with its value. */
export function explainHit(hit: RuleHit): unknown {
  return evaluate(hit.rule, hit.event, hit.before, { trace: true }).trace;
}
