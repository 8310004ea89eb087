import { useState } from 'react';
import type { protocolActions as resource } from '@cloudfit/contract/resources/protocol-actions.ts';
import { presetParameters } from '../../../entities/executions/action-parameters.ts';
import type { FormValues } from '../../../rows/row.ts';
import { useDraft } from '../../../drafts/use-draft.ts';
import {
  changesOf,
  isEditedSteps,
  newStep,
  place,
  rebased,
  stepOf,
  type ActionsById,
  type EditedSteps,
  type StepProblems,
  type TimelineStep,
} from './steps.ts';
import type { ProtocolAction } from '../use-protocol-actions.ts';

function nextKey(steps: readonly TimelineStep[]): string {
  const numbers = steps.filter((step) => step.isNew).map((step) => Number(step.key.slice('new-'.length)));
  return `new-${Math.max(0, ...numbers) + 1}`;
}

/** The steps of the timeline with the edits of the person. Unsaved edits survive a reload. */
export function useSteps(name: string, rows: readonly ProtocolAction[], definitions: ActionsById) {
  const [edited, setEdited] = useState<EditedSteps>();
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const rowSteps = rows.map(stepOf);
  const { saved, steps } = edited ?? { saved: rowSteps, steps: rowSteps };
  const changes = changesOf(saved, steps, definitions);
  const isDirty = edited !== undefined && changes.removed.length + changes.written.length > 0;
  const dropDraft = useDraft({
    name: `protocols.steps.${name}`,
    typed: isDirty ? edited : undefined,
    isTyped: isEditedSteps,
    restore: (typed) => setEdited(rebased(typed, rowSteps)),
  });
  const change = (next: (steps: readonly TimelineStep[]) => readonly TimelineStep[]) =>
    setEdited((now) => {
      const from = now ?? { saved: rowSteps, steps: rowSteps };
      return { ...from, steps: next(from.steps) };
    });
  const changeOne = (key: string, next: (step: TimelineStep) => TimelineStep) =>
    change((all) => all.map((step) => (step.key === key ? next(step) : step)));
  const setIsOpen = (key: string, isOpen: boolean) =>
    setOpen((now) => (isOpen ? new Set([...now, key]) : new Set([...now].filter((item) => item !== key))));

  return {
    steps,
    changes,
    isDirty,
    dropDraft,
    open,
    setIsOpen,
    openAll: (keys: readonly string[]) => setOpen((now) => new Set([...now, ...keys])),
    /** Adds a step after the step `after`, or without it as the first step of the event. Returns the key of the new step. */
    add: (event: number, after?: TimelineStep) => {
      const key = nextKey(steps);
      const step = newStep(key, event, after);
      change((all) => {
        const at = after ? all.findIndex((candidate) => candidate.key === after.key) + 1 : 0;
        return [...all.slice(0, at), step, ...all.slice(at)];
      });
      setIsOpen(key, true);
      return key;
    },
    set: (key: string, values: FormValues<typeof resource>) =>
      changeOne(key, (step) => ({
        ...step,
        values: { ...step.values, ...values },
        ...(values.actionDefinitionId === undefined
          ? {}
          : { parameters: { ...presetParameters(String(values.actionDefinitionId)), ...step.parameters } }),
      })),
    setParameter: (key: string, parameter: string, value: unknown) =>
      changeOne(key, (step) => ({ ...step, parameters: { ...step.parameters, [parameter]: value } })),
    setRemoved: (key: string, removed: boolean) => changeOne(key, (step) => ({ ...step, removed })),
    move: (key: string, target: string, side: 'before' | 'after') => change((all) => place(all, key, target, side)),
    restart: () => {
      dropDraft();
      setEdited(undefined);
    },
  };
}

export type StepsState = ReturnType<typeof useSteps>;
/** Problems by the key of the step. */
export type ProblemsOfSteps = Readonly<Record<string, StepProblems>>;
