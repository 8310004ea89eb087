/** Sentences that explain what rules did, as the server writes them in the language of the caller. */
import type { ExplainedOutcome } from '../actions/explain.ts';

const counted = (n: number, noun: string): string => (n === 1 ? `1 ${noun}` : `${n} ${noun}s`);

export const explanationTexts = {
  /** What a condition saw, and how far it has come. */
  condition: {
    failed: (number: number, text: string, saw: string) => `Condition ${number} (${text}) ${saw}.`,
    nothing: 'nothing',
    noMatch: 'no match of it',
    holds: 'which holds',
    notOften: 'which holds, but not often enough yet',
    oftenEnough: 'which does not hold, but has often enough',
    holdsNot: 'which does not hold',
    saw: (value: string, verdict: string) => `saw ${value}, ${verdict}`,
    sawAgainst: (value: string, than: string, verdict: string) => `saw ${value} against ${than}, ${verdict}`,
    sawUsual: (value: string, deviations: string, verdict: string) => `saw ${value}, ${deviations}, ${verdict}`,
    sawTooEarly: (value: string, few: string) => `saw ${value}, which cannot be compared yet: ${few}`,
    notAsked: (value: string) => `saw ${value}, which was not asked for`,
    notReported: 'was not reported',
    noTwoReadings: 'did not have two readings to compare',
    nothingToCompare: 'has nothing to compare with',
    fills: (seconds: number, since: string) => `has no value before it has counted for ${seconds} s; it counts since ${since}`,
    inRow: (n: number, of: number) => `${n} of ${of} in a row`,
    times: (n: number, of: number) => `${n} of ${of}`,
    since: (time: string) => `since ${time}`,
    fewValues: (needed: number, there: number) => `${needed} values of this hour are needed, there are ${there}`,
    fewWeeks: (needed: number, there: number) =>
      `${counted(needed, 'week')} of values of this hour ${needed === 1 ? 'is' : 'are'} needed, ${there === 0 ? 'there is none' : there === 1 ? 'there is 1' : `there are ${there}`}`,
  },
  outcomes: {
    hit: 'The rule held and opened a match.',
    repeated: 'The rule held and was counted in the match that was open.',
    late: 'The rule held, but the packet came so late that its match was over: its actions were not run.',
    suppressed: 'The rule held and opened a match; its actions wait for the end of a maintenance, or ended with the match in it.',
    miss: 'The rule did not hold.',
    outsideTime: 'The conditions held, but not within the time limitations of the rule.',
    stale: 'The packet was older than the latest one when it came, so it was stored and not evaluated.',
    failed: 'The rule could not be evaluated.',
    disabled: 'The rule was disabled at that time.',
    absent: 'The rule was not there at that time.',
    outOfScope: 'The entity belongs to another tenant or subscription than the rule.',
    noPacket: 'The entity had not sent a packet by then.',
    notEvaluated: 'Nothing is on record for this rule and entity by then.',
  } satisfies Record<ExplainedOutcome, string>,
  wouldMatch: 'The rule would have matched.',
  wouldHold: 'It would have held.',
  byCampaign: (campaign: string) => `Evaluated by the new version that the campaign ${campaign} had brought into force for this device.`,
  selectionsNow: 'The selections of the device are taken as they are now.',
  /** Which exception of the rule held for the entity, and why. */
  byException: (of: string, by: string, reason: string, until: string | null) =>
    `Evaluated by the exception for ${of} (${by}${until === null ? '' : `, until ${until}`}: ${reason}).`,
  offByException: (of: string, by: string, reason: string, until: string | null) =>
    `The rule does not hold by the exception for ${of} (${by}${until === null ? '' : `, until ${until}`}: ${reason}).`,
  exceptionOf: {
    Device: 'this device',
    Name: 'the name',
    Location: 'its location',
    Tag: 'the tag',
    Subscription: 'its subscription',
    Tenant: 'this tenant',
    Group: 'a group of tenants',
  },
  /** The end of a match by the recovery conditions of its rule, or by a report of the entity. */
  recoveryEnded: (at: string) => `Its recovery conditions ended the match at ${at}.`,
  reportEnded: (at: string) => `The entity reported again, which ended the match at ${at}.`,
  recoveryEnds: (since: string, at: string) =>
    `Its recovery conditions hold since ${since}: the match ends at ${at}, unless it matches again before.`,
  reportEnds: (since: string, at: string) =>
    `The entity reports again since ${since}: the match ends at ${at}, unless it matches again before.`,
  recoveryHadEnded: (since: string, at: string) => `Its recovery conditions hold since ${since}: the match ended at ${at}.`,
  reportHadEnded: (since: string, at: string) => `The entity reports again since ${since}: the match ended at ${at}.`,
  recoveryEndedIt: 'Its recovery conditions held and ended the match.',
  reportEndedIt: 'The entity reported again, which ended the match.',
  /** What holds the actions in a maintenance. */
  heldActions: (holder: string) => `Its actions were ${holder}.`,
  heldActionsUntil: (holder: string, until: string) => `Its actions were ${holder} until ${until}.`,
  holders: (names: readonly string[]) => `held by ${names.join(' and ')}`,
  heldByAny: 'held by a maintenance',
  change: (number: number | null, reason: string) => `change #${number} (${reason})`,
  window: (reason: string) => `the maintenance "${reason}"`,
  windowOfSelection: (reason: string, selection: string) => `the maintenance "${reason}" of the selection ${selection}`,
  rule: (name: string) => `the rule ${name}`,
  flaps: (changes: number) => `It flaps: ${changes} changes within an hour.`,
  clockAhead: (seconds: number) => `The clock of its sender was ${seconds} s ahead: the packet was evaluated at the time of its receipt.`,
  clockBehind: (seconds: number) => `Its sender is always ${seconds} s behind: the packet was evaluated as of its receipt.`,
  lateInPlace: (late: string) => `It arrived after a packet that is ${late} newer, and was evaluated in its place.`,
  tooLate: (late: string, by: string, grace: string) =>
    `It arrived after a packet that is ${late} newer: too late by ${by} for the rule, whose grace is ${grace}.`,
  onlyStored: (late: string) =>
    `It arrived after a packet that is ${late} newer; what the rule had remembered until then was not there any more, so the packet was only stored.`,
  seconds: (n: number) => `${n} s`,
  stormOfTenant: 'Too many matches of this rule had opened within a minute, so that further ones became one group (storm brake).',
  storm: (limit: number) =>
    `More than ${limit} matches of this rule, or too many of its tenant, had opened within a minute, so that further ones became one group (storm brake).`,
  inferred: (reason: string) => `Inferred: ${reason}.`,
  waitsForGroup: 'Its actions wait for its group.',
  waitsForCause: 'Its actions wait for what shows why it fell silent.',
  groupSize: (matches: number, open: number) => `${matches === 1 ? '1 match' : `${matches} matches`}, ${open} open`,
  groupOpened: (shared: string, size: string) => `It opened the group "${shared}" (${size}): its actions ran for all its matches.`,
  groupOpenedIn: (shared: string, size: string, unit: number) =>
    `It opened the group "${shared}" (${size}) in work unit ${unit}: its actions ran for all its matches.`,
  groupJoined: (shared: string, size: string, first: string, at: string) =>
    `It joined the group "${shared}" (${size}), which "${first}" had opened at ${at}: the actions ran for that match, not again for this one.`,
  groupJoinedIn: (shared: string, size: string, first: string, at: string, unit: number) =>
    `It joined the group "${shared}" (${size}) in work unit ${unit}, which "${first}" had opened at ${at}: the actions ran for that match, not again for this one.`,
  neverReported: 'The entity never reported: it has been silent since its creation.',
  outagesDoNotCount:
    'Times in which the installation took no packets do not count as silence, nor does the usual time between two packets after each.',
  noMatchEvent: 'By then nothing had happened to a match of this entity that the rule looks at.',
  noUnitEvent: 'No change of this work unit is on record by then.',
  noSums: 'Too many packets to add up again, or nobody looked at that time.',
  onlyRecord: (type: string) => `Of rules of type ${type} only what was recorded can be shown.`,
  unknownType: 'an unknown type',
  matchNotOnRecord: 'Its match is not on record: it may have opened a moment later, or the rule was changed in the same moment.',
  ruleChangedThen: 'Its match is not on record: the rule may have been changed in the same moment.',
  noMatchOpen: 'It has only just begun to hold, or its match has ended: no match of it is open.',
  lookedBack: 'Looked back at the last 2,000 packets only: what a pattern remembers may reach further.',
  keepsInMaintenance: 'It keeps the entity in maintenance.',
  countedTooLittle: 'What the rule counts was not there often or long enough.',
  aboutSubscription: 'The match is about its subscription, or a group that it belongs to.',
  aboutDevice: 'The match is about its device.',
  entityDisabled: 'The entity is disabled now: its packets are refused, and its silence is not evaluated.',
  /** What the result of a backtest does not take into account. */
  notes: {
    asNow: 'Entities, exceptions, maintenance rules and protocols were taken as they are now.',
    noStorms: 'Storms and the summaries of groups were not counted; nobody acknowledged a work unit before it was resolved.',
    hitsNotKept:
      'Only the opening, the last hit and the end of a match are on record: hits between them led to no evaluation here, so matches may have repeated or opened more often.',
    firstMatches: (n: number) => `Only the first ${n} matches were looked at.`,
    firstEntities: (n: number) => `Only ${n} entities were looked at.`,
    changesAsAudited: 'Each change of a work unit was evaluated as the audit recorded it.',
    sumsEveryFiveSeconds:
      'Sums were checked every five seconds, as in operation: a match may have opened up to five seconds earlier or later.',
    silenceEveryFiveSeconds:
      'Silence was checked every five seconds, as in operation: a match may have opened up to five seconds earlier or later.',
    toldLate: 'Matches that were over before their packets arrived count as told: the rule tells however late.',
    otherRules: 'Whether other rules matched was taken from the record of their matches.',
    baselines: (few: number, enough: number) =>
      `${few === 1 ? 'One entity' : `${few} entities`} had too few values of past weeks at some time; then the condition does not hold. ${enough} had enough at some time.`,
  },
  /** All rules of an entity in one sentence. */
  summary: {
    noPacket: 'The entity had not sent a packet by then, and no rule on silence held.',
    nobody: 'No rule held, so nobody was notified.',
    matched: (n: number) => `${counted(n, 'rule')} held`,
    ran: (n: number) => `${counted(n, 'action')} ran`,
    waiting: (n: number) => `${counted(n, 'action')} will be tried again`,
    failed: (n: number) => `${counted(n, 'action')} failed`,
    notRun: (n: number) => `${counted(n, 'action')} did not run`,
    actionsHeld: (holder: string) => `actions are ${holder}`,
    actionsHeldUntil: (holder: string, until: string) => `actions are ${holder} until ${until}`,
    none: 'no action of theirs is on record',
  },
} as const;
