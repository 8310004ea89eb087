/**
 * Merges a rule in the form with what somebody else saves: untouched fields take the new values, and for a field that both
 * changed the person chooses the value.
 */
import { changedFields, type RuleValues } from './rule-draft.ts';

export interface FollowedDraft {
  values: RuleValues;
  /** The saved value of each field when the person began to change it. */
  base: RuleValues;
}

/** Whether a stored draft has the shape that this version of the portal stores. */
export function isFollowedDraft(stored: unknown): stored is FollowedDraft {
  const { values, base } = (stored ?? {}) as Partial<FollowedDraft>;
  return [values, base].every((item) =>
    [item?.conditions, item?.recoveryConditions, item?.matchActions, item?.expirationActions].every(Array.isArray),
  );
}

function pick(from: RuleValues, names: readonly (keyof RuleValues)[]): Partial<RuleValues> {
  return Object.fromEntries(names.map((name) => [name, from[name]]));
}

export function followed({ values, base }: FollowedDraft, saved: RuleValues): FollowedDraft {
  const typed = changedFields(values, base);
  const differs = changedFields(values, saved);
  const changed = changedFields(base, saved);
  const free = changed.filter((name) => !typed.includes(name));
  const agreed = typed.filter((name) => !differs.includes(name));
  return { values: { ...values, ...pick(saved, free) }, base: { ...base, ...pick(saved, [...free, ...agreed]) } };
}

/** Fields that the person changed and somebody else saved with another value. */
export function collisionsOf({ values, base }: FollowedDraft, saved: RuleValues): (keyof RuleValues)[] {
  const [theirs, differs] = [changedFields(base, saved), changedFields(values, saved)];
  return changedFields(values, base).filter((name) => theirs.includes(name) && differs.includes(name));
}

/** Returns the draft after the person has chosen which value of a field to keep. */
export function settled(
  { values, base }: FollowedDraft,
  saved: RuleValues,
  name: keyof RuleValues,
  whose: 'mine' | 'theirs',
): FollowedDraft {
  const part = pick(saved, [name]);
  return { values: whose === 'theirs' ? { ...values, ...part } : values, base: { ...base, ...part } };
}
