/** Conditions that a list's quick filter and a number of the home page share, so that the number is what its link shows. */
import { and, eq, oneOf, or } from '@cloudfit/contract/query/build.ts';
import type { WorkUnitState } from '@cloudfit/contract/enums.ts';

export const openStates: readonly WorkUnitState[] = ['New', 'Acknowledged', 'InProgress', 'OnHold', 'Mitigated'];

export const isOpen = oneOf('stateId', openStates);

/** Approver of a slot that nobody has decided. */
export function waitsFor(userName: string): string | undefined {
  return or(...[1, 2].map((slot) => and(eq(`approver${slot}`, userName), eq(`approved${slot}By`, null), eq(`declined${slot}By`, null))));
}

/** Devices whose last packet is old, or that never sent one. */
export const isSilent = "(packet/timestamp lt now() sub duration'PT5M' or packet/timestamp eq null)";

/** Rules with a match that has not ended. */
export const hasOpenMatch = 'ruleMatches/any(m:m/closed eq null)';
