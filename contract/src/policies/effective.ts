/** What a device should have by all of its policies: for each thing the policy with the lowest rank wins. */
import type { PolicyItemKind, PolicyLeave } from './choices.ts';
import type { ParameterValue } from '../packages/parameters.ts';
import { ruleValuesIn } from '../rule-values.ts';
import type { PolicyOperation, PolicyPackage } from './settings.ts';

export interface PolicyContent {
  policyId: string;
  name: string;
  rank: number;
  operations: readonly PolicyOperation[];
  packages: readonly PolicyPackage[];
  tags: string | null;
  heartbeatInterval: number | null;
  ruleValues: string | null;
  /** Whether operations that no policy sets are disabled. */
  forbidsOthers?: boolean;
  onLeave: PolicyLeave;
}

/** A policy as it holds for a device; `except` has the keys of things that the device does not have from it, by an exception. */
export type PolicyOfDevice = PolicyContent & { except?: readonly string[] };

/** How an operation runs. */
export interface OperationTerms {
  frequencyTypeId: number;
  interval: string;
  parameters: readonly ParameterValue[];
}

export type ItemValue =
  | { kind: 'Operation'; of: { operationId: string; label: string } & OperationTerms }
  /** An operation that no policy sets, and that is disabled. */
  | { kind: 'OtherOperation'; of: { deviceOperationId: string; label: string } }
  | { kind: 'Package'; of: { packageId: string; packageVersionId: string | null; preReleases?: boolean | undefined } }
  | { kind: 'Tag'; of: string }
  | { kind: 'Heartbeat'; of: number }
  | { kind: 'RuleValue'; of: { name: string; value: string } };

/** One thing that a policy sets. Things with the same key are alternatives. */
export type PolicyThing = ItemValue & { key: string; kind: PolicyItemKind };

export type EffectiveItem = PolicyThing & {
  policyId: string;
  onLeave: PolicyLeave;
  /** The policies that set the same thing otherwise and yield, by id. */
  over: readonly string[];
};

/** The tags of a text with commas or semicolons. */
export const tagsIn = (text: string | null): string[] =>
  (text ?? '')
    .split(/[,;]/)
    .map((tag) => tag.trim())
    .filter(Boolean);

/** Everything that the policy sets, each with its key. */
export function thingsOf({ operations, packages, tags, heartbeatInterval, ruleValues }: PolicyContent): PolicyThing[] {
  return [
    ...operations.map((of): PolicyThing => ({ kind: 'Operation', key: `Operation ${of.operationId} ${of.label.toLowerCase()}`, of })),
    ...packages.map(({ packageId, packageVersionId, preReleases }): PolicyThing => ({
      kind: 'Package',
      key: `Package ${packageId}`,
      of: { packageId, packageVersionId, ...(preReleases && packageVersionId === null ? { preReleases } : {}) },
    })),
    ...tagsIn(tags).map((of): PolicyThing => ({ kind: 'Tag', key: `Tag ${of.toLowerCase()}`, of })),
    ...(heartbeatInterval === null ? [] : [{ kind: 'Heartbeat', key: 'Heartbeat', of: heartbeatInterval } as const]),
    ...Object.entries(ruleValuesIn(ruleValues ?? '')).map(([name, value]): PolicyThing => ({
      kind: 'RuleValue',
      key: `RuleValue ${name}`,
      of: { name, value },
    })),
  ];
}

/** Whether two things with the same key set the same. The order of parameters does not matter. */
export function setsSame(a: ItemValue, b: ItemValue): boolean {
  return canonical(a.of) === canonical(b.of);
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (key, part: unknown) => {
    if (key === 'parameters' && Array.isArray(part))
      return (part as { Name: string }[]).toSorted((a, b) => (a.Name < b.Name ? -1 : 1)).map(sorted);
    return sorted(part);
  });
}

const sorted = (part: unknown): unknown =>
  typeof part === 'object' && part !== null && !Array.isArray(part)
    ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    : part;

/** The order in which policies win: by rank, of equal ranks by id, so that all servers agree. */
export const inOrder = <P extends Pick<PolicyContent, 'rank' | 'policyId'>>(policies: readonly P[]): P[] =>
  policies.toSorted((a, b) => a.rank - b.rank || (a.policyId < b.policyId ? -1 : 1));

/** What a device with these policies should have, by key. */
export function effectiveItems(policies: readonly PolicyOfDevice[]): Map<string, EffectiveItem> {
  const items = new Map<string, EffectiveItem>();
  for (const policy of inOrder(policies))
    for (const thing of thingsOf(policy)) {
      if (policy.except?.includes(thing.key)) continue;
      const winner = items.get(thing.key);
      if (!winner) items.set(thing.key, { ...thing, policyId: policy.policyId, onLeave: policy.onLeave, over: [] });
      else if (winner.policyId !== policy.policyId && !setsSame(winner, thing))
        items.set(thing.key, { ...winner, over: [...winner.over, policy.policyId] });
    }
  return items;
}
