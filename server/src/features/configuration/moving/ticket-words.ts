/** What programs call the states and priorities of tickets, in English and German. */
import type { WorkUnitState } from '@cloudfit/contract/enums.ts';
import type { Ticket } from '@cloudfit/contract/configuration/tickets.ts';
import { folded } from '@cloudfit/contract/query/text.ts';

const plain = (text: string): string => folded(text).replaceAll(/[^\p{L}\p{N}]+/gu, '');

const states: Readonly<Record<string, WorkUnitState>> = {
  ...Object.fromEntries(['new', 'todo', 'neu', 'backlog', 'submitted', 'unassigned', 'registriert'].map((word) => [word, 'New'])),
  ...Object.fromEntries(
    [
      'open',
      'offen',
      'reopened',
      'wiedereroffnet',
      'assigned',
      'zugewiesen',
      'acknowledged',
      'bestatigt',
      'accepted',
      'active',
      'aktiv',
    ].map((word) => [word, 'Acknowledged']),
  ),
  ...Object.fromEntries(
    [
      'inprogress',
      'inarbeit',
      'inbearbeitung',
      'workinprogress',
      'started',
      'begonnen',
      'inreview',
      'waitingforsupport',
      'processingassigned',
      'processingplanned',
    ].map((word) => [word, 'InProgress']),
  ),
  ...Object.fromEntries(
    [
      'onhold',
      'pending',
      'pendingreminder',
      'pendingclose',
      'waiting',
      'waitingforcustomer',
      'wartend',
      'wartet',
      'zuruckgestellt',
      'wartenaufkunde',
      'blocked',
      'suspended',
      'awaitingreply',
      'wartenauferinnerung',
      'wartenaufschliessen',
      'deferred',
      'hold',
    ].map((word) => [word, 'OnHold']),
  ),
  mitigated: 'Mitigated',
  ...Object.fromEntries(
    ['resolved', 'gelost', 'fixed', 'solved', 'behoben', 'completed', 'done', 'erledigt', 'fertig'].map((word) => [word, 'Resolved']),
  ),
  ...Object.fromEntries(
    [
      'closed',
      'geschlossen',
      'archived',
      'archiviert',
      'closedsuccessful',
      'closedunsuccessful',
      'merged',
      'zusammengefasst',
      'abgeschlossen',
    ].map((word) => [word, 'Closed']),
  ),
  ...Object.fromEntries(
    [
      'canceled',
      'cancelled',
      'abgebrochen',
      'storniert',
      'removed',
      'deleted',
      'geloscht',
      'rejected',
      'abgelehnt',
      'wontfix',
      'wontdo',
      'declined',
      'duplicate',
      'invalid',
    ].map((word) => [word, 'Canceled']),
  ),
};

const ended: readonly WorkUnitState[] = ['Resolved', 'Closed', 'Canceled'];
export const isEndedState = (state: WorkUnitState): boolean => ended.includes(state);

/** The state here for one there; a closed ticket is not open, whatever its state is called. `isClear` is false for a state that nothing is called. */
export function stateOf(there: string, closed: string | undefined): { stateId: WorkUnitState; isClear: boolean } {
  const stateId = states[plain(there)];
  if (stateId !== undefined) return { stateId, isClear: true };
  return { stateId: closed === undefined ? 'Acknowledged' : 'Closed', isClear: there === '' };
}

const severities: readonly (readonly [RegExp, Ticket['severityId']])[] = [
  [/emergency|urgent|critical|blocker|highest|dringend|kritisch|notfall|sehrhoch|^(?:p|sev|prio)?[01]$/, 'Sev1'],
  [/lowest|verylow|sehrniedrig|trivial|information|planning|^(?:p|sev|prio)?[45]$/, 'Sev4'],
  [/low|niedrig|gering|minor/, 'Sev4'],
  [/high|hoch|major/, 'Sev2'],
  [/normal|medium|mittel|moderate|standard|average|default/, 'Sev3'],
  [/^(?:p|sev|prio)?2$/, 'Sev2'],
  [/^(?:p|sev|prio)?3$/, 'Sev3'],
];

/** The severity here for a priority there; Sev3 for none. The word counts before a number: `3 high` of Zammad is high. */
export function severityOf(there: string): { severityId: Ticket['severityId']; isClear: boolean } {
  const word = plain(there);
  const severityId = severities.find(([pattern]) => pattern.test(word))?.[1];
  return { severityId: severityId ?? 'Sev3', isClear: severityId !== undefined || there === '' };
}
