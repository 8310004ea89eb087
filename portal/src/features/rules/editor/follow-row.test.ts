import { expect, it } from 'vitest';
import { collisionsOf, followed, isFollowedDraft, settled } from './follow-row.ts';
import { valuesOf } from './rule-draft.ts';

const base = valuesOf({ name: 'a', description: 'b', color: 'red' });

it('what was not changed here follows, what both changed waits for a choice, what both changed alike is settled', () => {
  const draft = { values: { ...base, name: 'mine', description: 'same' }, base };
  const saved = { ...base, name: 'theirs', description: 'same', color: 'green' };
  const next = followed(draft, saved);
  expect(next.values).toMatchObject({ name: 'mine', description: 'same', color: 'green' });
  expect(collisionsOf(next, saved)).toEqual(['name']);
  for (const [whose, name] of [
    ['mine', 'mine'],
    ['theirs', 'theirs'],
  ] as const) {
    const chosen = settled(next, saved, 'name', whose);
    expect([chosen.values.name, chosen.base.name, collisionsOf(chosen, saved)]).toEqual([name, 'theirs', []]);
  }
});

it('keeps what was typed while others save what was not, each time', () => {
  let draft = { values: { ...base, name: 'mine' }, base };
  for (const color of ['green', 'blue']) {
    const saved = { ...base, color };
    draft = followed(draft, saved);
    expect([draft.values.name, draft.values.color, draft.base.color, collisionsOf(draft, saved)]).toEqual(['mine', color, color, []]);
  }
  // What was typed back to what it was is followed again.
  draft = followed({ ...draft, values: { ...draft.values, name: 'a' } }, { ...base, name: 'theirs', color: 'blue' });
  expect([draft.values.name, draft.base.name]).toEqual(['theirs', 'theirs']);
});

it('restores a draft only when each of its lists is one', () => {
  expect(isFollowedDraft({ values: base, base })).toBe(true);
  for (const stored of [null, undefined, {}, { values: base }, { values: base, base: {} }, { values: { ...base, matchActions: {} }, base }])
    expect(isFollowedDraft(stored)).toBe(false);
});
