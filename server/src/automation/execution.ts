/** An execution of an action as it is loaded, with everything that its action may refer to. */
import type { ExpectedAnswer, ReferenceOfAnswer } from '@cloudfit/contract/action-answers.ts';
import type { recurrences, whileMatching, WorkUnitState } from '@cloudfit/contract/enums.ts';
import type { TextReader } from '../platform/language.ts';
import type { Phase } from '../executions/execution-id.ts';
import type { GroupOfMatch } from './groups/group-of-match.ts';
import type { MatchSubject } from './match-facts.ts';
import type { PlaceInOrder } from './order-of-messages.ts';
import type { PlaceholderValues } from './placeholders.ts';
import type { StepEnd } from './protocols/protocol-timeline.ts';

export type Recurrence = (typeof recurrences)[number];
export type WhileMatching = (typeof whileMatching)[number];

export interface QueuedAction {
  id: string;
  tenantId: string | null;
  name: string;
  typeId: number;
  endpointUrl: string | null;
  httpMethod: string | null;
  headers: string | null;
  body: string | null;
  /** The names of its parameters. */
  inputParameters: readonly string[];
  /** By which answers its receiver says that it has the message. */
  expected: ExpectedAnswer;
  /** Where it is asked for what an earlier try has made. */
  lookBackAddress: string | null;
  /** Where the answer names what the receiver has made for the work unit. */
  reference: ReferenceOfAnswer;
}

export interface MatchOfExecution {
  ruleMatchId: string;
  ruleId: string;
  subjectId: string;
  subject: MatchSubject;
  label: string;
  ruleName: string;
  protocolId: string | null;
  /** The severity that Create Work Unit of the rule gives; null without that action, or if it names none. */
  severityId: string | null;
  recurrence: Recurrence;
  reopenHours: number | null;
  whileMatching: WhileMatching;
  /** The unit that the match has opened or was added to. */
  workUnitId: number | null;
  /** Whether the match was added to the unit `workUnitId`, which an earlier match had opened. */
  isRepeat: boolean;
  /** Whether people were notified of the end of the previous match. */
  isEndNotified: boolean;
  /** The open unit to which Create Work Unit would add the match: that of the same rule and subject, or of its group. */
  openWorkUnitId: number | null;
  /** Whether the match has ended; a match in a group tells of the group, which ends later. */
  isOver: boolean;
  /** The key under which the unit of the match is stored: rule and subject, or the key of the match's group. */
  unitOf: { scope: string; key: string };
  group: GroupOfMatch | null;
}

export interface QueuedExecution {
  messageId: string;
  tenantId: string;
  correlationId: string;
  statusId: number;
  phase: Phase;
  parameters: Record<string, string | number | boolean | null>;
  order: PlaceInOrder;
  /** Undefined when the action was deleted after the execution was queued. */
  definition: QueuedAction | undefined;
  match: MatchOfExecution | undefined;
  /** The work unit whose protocol caused the execution. */
  workUnitId: number | undefined;
  /** Whether the execution is a test of the action. A test belongs to no match and no unit, but may use the values of one. */
  isTest: boolean;
  /** The placeholders without a value or default in its parameters, by the name of the parameter. */
  unfilled: Readonly<Record<string, readonly string[]>>;
  /** Hops of the execution (see `Ctx`); its consequences have one more. */
  hops: number;
  /**
   * For a protocol step that waited, or a message by a later channel: which changes of the unit end it, and the state of the
   * unit at the event that caused it.
   */
  ends: StepEnd | undefined;
  /** The ended unit of a match that goes on: the actions of the match run again because of it. */
  endedUnitId: number | undefined;
  /** Whether it runs again because nobody works on the fault. */
  isReminder: boolean;
  /** The state of the work unit that it is about, if any. */
  unitState: WorkUnitState | undefined;
  /** `messageId` of the execution that this one replays. */
  replayOf: string | undefined;
  tenant: { name: string; email: string | null };
  /** For whom a mail or a push message of the execution is written. */
  reader: TextReader;
  /** Values for `{Name}`; parameters take precedence. */
  values: PlaceholderValues;
}
