import { expect, it } from 'vitest';
import { collisionsOf, followed, settled } from './follow-row.ts';
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
