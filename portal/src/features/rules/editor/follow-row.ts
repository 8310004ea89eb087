/** A rule that is written while somebody else saves it: what was not changed here follows, what both changed is for the person to choose. */
import { changedFields, type RuleValues } from './rule-draft.ts';

export interface Draft {
  values: RuleValues;
  /** As each field was when the person began to change it. */
  base: RuleValues;
}

function taken(from: RuleValues, names: readonly (keyof RuleValues)[]): Partial<RuleValues> {
  return Object.fromEntries(names.map((name) => [name, from[name]]));
}

export function followed({ values, base }: Draft, saved: RuleValues): Draft {
  const typed = changedFields(values, base);
  const differs = changedFields(values, saved);
  const changed = changedFields(base, saved);
  const free = changed.filter((name) => !typed.includes(name));
  const agreed = typed.filter((name) => !differs.includes(name));
  return { values: { ...values, ...taken(saved, free) }, base: { ...base, ...taken(saved, [...free, ...agreed]) } };
}

/** Fields that the person changed and somebody else saved with another value. */
export function collisionsOf({ values, base }: Draft, saved: RuleValues): (keyof RuleValues)[] {
  const [theirs, differs] = [changedFields(base, saved), changedFields(values, saved)];
  return changedFields(values, base).filter((name) => theirs.includes(name) && differs.includes(name));
}

/** Whose value of a field stays. */
export function settled({ values, base }: Draft, saved: RuleValues, name: keyof RuleValues, whose: 'mine' | 'theirs'): Draft {
  const part = taken(saved, [name]);
  return { values: whose === 'theirs' ? { ...values, ...part } : values, base: { ...base, ...part } };
}
