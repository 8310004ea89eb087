/** An execution of an action as it is loaded, with everything that its action may refer to. */
import type { recurrences } from '@cloudfit/contract/enums.ts';
import type { Phase } from '../executions/execution-id.ts';
import type { GroupOfMatch } from './groups/group-of-match.ts';
import type { MatchSubject } from './match-facts.ts';
import type { PlaceholderValues } from './placeholders.ts';
import type { StepEnd } from './protocols/protocol-timeline.ts';

export type Recurrence = (typeof recurrences)[number];

export interface QueuedAction {
  id: string;
  tenantId: string | null;
  name: string;
  typeId: number;
  endpointUrl: string | null;
  httpMethod: string | null;
  headers: string | null;
  body: string | null;
}

export interface MatchOfExecution {
  ruleMatchId: string;
  ruleId: string;
  subjectId: string;
  subject: MatchSubject;
  label: string;
  ruleName: string;
  protocolId: string | null;
  recurrence: Recurrence;
  reopenHours: number | null;
  /** The unit that the match has opened or was added to. */
  workUnitId: number | null;
  /** Whether it was added to that unit, which an earlier match had opened. */
  isRepeat: boolean;
  /** Whether people were notified of the end of the previous match. */
  isEndTold: boolean;
  /** The open unit of the same rule and subject that Create Work Unit would add it to. */
  openWorkUnitId: number | null;
  /** The key by which its unit is stored: rule and subject, or what its group says. */
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
  /** How long the execution must still wait for the previous one. */
  holdMs: number;
  /** Missing when it was deleted after the action was queued. */
  definition: QueuedAction | undefined;
  match: MatchOfExecution | undefined;
  /** The work unit whose protocol caused it. */
  workUnitId: number | undefined;
  /** A test run of the action: it has no match and no work unit, though its values may be those of one. */
  isTest: boolean;
  /** For a test: the placeholders without a value in its parameters, by the name of the parameter. */
  unfilled: Readonly<Record<string, readonly string[]>>;
  /** Hops of the execution (see `Ctx`); its consequences have one more. */
  hops: number;
  /** For a step that waited: what ends it, and the unit's state at its event. */
  ends: StepEnd | undefined;
  /** `messageId` of the execution that it repeats. */
  replayOf: string | undefined;
  tenant: { name: string; email: string | null };
  /** Values for `{Name}`; parameters take precedence. */
  values: PlaceholderValues;
}
