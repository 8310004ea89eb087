/** Texts of what a change touches, before it is saved. */
import type { ImpactKind } from '../impact/calls.ts';

const some = (one: string, many: string) => (count: number) => (count === 1 ? `1 ${one}` : `${count.toLocaleString('en')} ${many}`);

export const impactTexts = {
  title: 'What this changes',
  titleDelete: 'What this touches',
  counting: 'Checking what this changes…',
  failed: 'What this changes could not be read.',
  nothing: 'Nothing else uses it now.',
  more: (count: number) => `and ${count.toLocaleString('en')} more`,
  groups: {
    tenants: some('tenant', 'tenants'),
    devicesBefore: (count) => `${some('device', 'devices')(count)} selected now`,
    devicesAfter: (count) => `${some('device', 'devices')(count)} after the change`,
    devicesGained: (count) => `${some('device', 'devices')(count)} more`,
    devicesLost: (count) => `${some('device', 'devices')(count)} no longer`,
    openMatches: some('open match', 'open matches'),
    endingMatches: (count) =>
      `${some('open match', 'open matches')(count)} of devices no longer selected: nothing repeats them, and they end with their lifetime`,
    heldMatches: (count) => `${some('match', 'matches')(count)} whose actions are held`,
    units: some('open work unit', 'open work units'),
    executions: some('execution that waits', 'executions that wait'),
    rules: some('rule', 'rules'),
    protocols: some('protocol', 'protocols'),
    waitingSteps: some('waiting step', 'waiting steps'),
    installations: some('installation', 'installations'),
    unitsWithValue: (count) => `${some('work unit', 'work units')(count)} with a value`,
  } satisfies Record<ImpactKind, (count: number) => string>,
} as const;
