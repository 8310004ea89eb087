/** Simulates the steps as they are typed, debounced. */
import type { FollowUps } from '@cloudfit/contract/protocols/timeline.ts';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { DraftStep } from '@cloudfit/contract/actions/protocols.ts';
import type { CallInput } from '@cloudfit/contract/call.ts';
import { simulateDraft, simulateProtocol } from '@cloudfit/contract/calls.ts';
import type { Simulation } from '@cloudfit/contract/protocols/simulate.ts';
import { protocols } from '@cloudfit/contract/resources/protocols.ts';
import { inputTime, instantAt } from '../../../theme/times.ts';
import { callQuery } from '../../../api/call.ts';
import { useDebounced } from '../../../hooks/use-debounced.ts';
import { useScope } from '../../../rows/use-scope.ts';
import { sentParameters, type ActionsById, type TimelineStep } from './steps.ts';

const restMs = 300;

interface Course {
  severityId: string;
  /** Local times as the inputs have them, `2026-11-22T14:05`; empty for an event that does not happen. */
  start: string;
  acknowledged: string;
  resolved: string;
}

interface SimulationOptions {
  /** Undefined for a new protocol. */
  protocolId: string | undefined;
  tenantId: string | null;
  timerInverval: string;
  followUps: Partial<FollowUps>;
  steps: readonly TimelineStep[];
  definitions: ActionsById;
  /** True while nothing is changed: then the saved steps are simulated, which everybody who may view the protocol can see. */
  isSaved: boolean;
  /** Whether a step has an invalid time. Then the last simulation stays. */
  isHeld: boolean;
}

/** Returns the fields of a step that the simulation accepts; it refuses any other field. */
function draftOf({ key, values, ...step }: TimelineStep, definitions: ActionsById): DraftStep {
  const { onFailure: _failure, onLate: _late, lateAfter: _after, ...simulated } = values;
  return {
    ...simulated,
    protocolActionId: key,
    parameters: JSON.stringify(sentParameters({ key, values, ...step }, definitions)),
  } as DraftStep;
}

export function useSimulation({ protocolId, tenantId, timerInverval, followUps, steps, definitions, isSaved, isHeld }: SimulationOptions) {
  const scope = useScope();
  const [course, setCourse] = useState((): Course => ({
    severityId: 'Sev1',
    start: inputTime(Date.now(), 'minutes'),
    acknowledged: '',
    resolved: '',
  }));
  const present = steps.filter((step) => !step.removed && step.values.actionDefinitionId);
  const states = [
    { stateId: 'Acknowledged', at: course.acknowledged },
    { stateId: 'Resolved', at: course.resolved },
  ];
  const question = {
    severityId: course.severityId,
    start: course.start === '' ? '' : instantAt(course.start).toISOString(),
    states: states.flatMap(({ stateId, at }) => (at === '' ? [] : [{ stateId, at: instantAt(at).toISOString() }])),
    ...(tenantId === null && scope.tenantId ? { tenantId: scope.tenantId } : {}),
  };
  const draft = { protocolTenantId: tenantId, timerInverval, ...followUps, steps: present.map((step) => draftOf(step, definitions)) };
  const text = JSON.stringify(isSaved ? question : { ...question, ...draft });
  const rested = useDebounced(text, restMs);
  const input = JSON.parse(rested) as CallInput<typeof simulateDraft>;
  const refreshedBy = protocols.name;
  const { data, error, isFetching } = useQuery({
    ...(isSaved
      ? callQuery(simulateProtocol, { ...input, id: protocolId ?? '' }, { refreshedBy })
      : callQuery(simulateDraft, input, { refreshedBy })),
    enabled: !isHeld && course.start !== '' && present.length > 0 && rested === text,
    placeholderData: keepPreviousData,
    retry: false,
  });
  const result = present.length > 0 ? data : undefined;
  const warnings = useMemo(() => warningsOf(result), [result]);
  return {
    course,
    setCourse: (change: Partial<Course>) => setCourse((now) => ({ ...now, ...change })),
    data: result,
    error: isHeld ? null : error,
    isWaiting: isFetching,
    isHeld: isHeld && present.length > 0,
    warnings,
  };
}

export type SimulationState = ReturnType<typeof useSimulation>;

export interface StepWarning {
  /** Whether the step runs in no case at all. */
  never: boolean;
  reason: string;
}

/** For each step: why it never runs, or whom it cannot notify. */
function warningsOf(result: Simulation | undefined): ReadonlyMap<string, readonly StepWarning[]> {
  const all = [
    ...(result?.unreachable ?? []).filter(({ never }) => never),
    ...(result?.withoutAddress ?? []).map((item) => ({ ...item, never: false })),
  ];
  return Map.groupBy(all, (action) => action.protocolActionId);
}
