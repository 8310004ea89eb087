import { proves } from '@cloudfit/contract/testing/proves.ts';
import '../../testing/browser.ts';
import { beforeEach, expect, it } from 'vitest';
import { draftLifetimeMs, draftsOf } from './drafts.ts';

beforeEach(() => localStorage.clear());
const now = Date.parse('2026-11-21T10:00:00Z');
const storedSlots = (name: string) => JSON.parse(localStorage.getItem(`cloudfit.intake.${name}.p1`) ?? 'null') as unknown;

it('keeps four in the browser, each with its time', async () => {
  const drafts = draftsOf('p1');
  for (const title of ['a', 'b', 'c', 'd']) drafts.save({ title }, undefined, now);
  await proves('[INTK-006] [SET-010] keeps what was typed', () =>
    expect(storedSlots('drafts')).toEqual([{ title: 'a' }, { title: 'b' }, { title: 'c' }, { title: 'd' }]),
  );
  await proves('[INTK-007] [SET-011] keeps the time of each', () => expect(storedSlots('draftTimestamps')).toEqual([now, now, now, now]));
  await proves('[INTK-005] keeps no fifth', () => {
    expect(drafts.save({ title: 'e' }, undefined, now)).toBeUndefined();
    expect(drafts.list(now).map((draft) => draft.values['title'])).toEqual(['a', 'b', 'c', 'd']);
  });
});

it('writes over the draft that is continued, and fills what was emptied', () => {
  const drafts = draftsOf('p1');
  expect([drafts.save({ title: 'a' }, undefined, now), drafts.save({ title: 'b' }, undefined, now)]).toEqual([0, 1]);
  drafts.save({ title: 'A' }, 0, now + 5);
  expect(drafts.read(0, now)).toEqual({ index: 0, values: { title: 'A' }, at: now + 5 });
  drafts.remove(0);
  expect(drafts.save({ title: 'c' }, undefined, now)).toBe(0);
});

it('[INTK-010] keeps a draft for twelve hours', () => {
  const drafts = draftsOf('p1');
  expect(draftLifetimeMs).toBe(43_200_000);
  drafts.save({ title: 'old' }, undefined, now);
  expect(drafts.read(0, now + draftLifetimeMs - 1)).toBeDefined();
  expect(drafts.read(0, now + draftLifetimeMs)).toBeUndefined();
});

it('[INTK-011] clears a draft that has expired when it is read', () => {
  const drafts = draftsOf('p1');
  drafts.save({ title: 'old' }, undefined, now);
  drafts.save({ title: 'young' }, undefined, now + 1);
  drafts.read(0, now + draftLifetimeMs);
  expect(storedSlots('drafts')).toEqual([null, { title: 'young' }, null, null]);
  expect(storedSlots('draftTimestamps')).toEqual([null, now + 1, null, null]);
});

it('[INTK-015] has the indexes 0 to 3', () => {
  const drafts = draftsOf('p1');
  for (const index of [0, 3]) expect(drafts.read(index, now)).toBeUndefined();
});

it('[INTK-016] refuses any other index', () => {
  const drafts = draftsOf('p1');
  for (const index of [-1, 4, 1.5, Number.NaN]) {
    expect(() => drafts.read(index, now)).toThrow(/^Invalid draft index$/);
    expect(() => drafts.save({}, index, now)).toThrow(/^Invalid draft index$/);
    expect(() => drafts.remove(index)).toThrow(/^Invalid draft index$/);
  }
});

it('are not those of another person, and survive what cannot be read', () => {
  draftsOf('p1').save({ title: 'a' }, undefined, now);
  expect(draftsOf('p2').list(now)).toEqual([]);
  localStorage.setItem('cloudfit.intake.drafts.p1', '{"not":"a list"');
  expect(draftsOf('p1').list(now)).toEqual([]);
});
