import { beforeEach, expect, it, vi } from 'vitest';

let nameOf: (text: string) => string | undefined;

// Loads the module again for each test, because the number of prepared texts is limited per module.
beforeEach(async () => {
  vi.resetModules();
  const { prepared } = await import('./compile.ts');
  nameOf = (text) => prepared({ text, values: [] }).name;
});

it('prepares what comes a third time, however many others came only once', () => {
  for (let n = 0; n < 3_000; n++) nameOf(`select ${n}`);
  expect([nameOf('select often'), nameOf('select often')]).toEqual([undefined, undefined]);
  const name = nameOf('select often');
  expect(name).toMatch(/^[\w-]{27}$/);
  expect(nameOf('select often')).toBe(name);
  expect(nameOf('select oftener')).not.toBe(name);
});

it('prepares a bounded number, as each lives on every connection', () => {
  const names = new Set<string | undefined>();
  for (let n = 0; n < 1_000; n++) for (let i = 0; i < 3; i++) names.add(nameOf(`select 'often' || ${n}`));
  names.delete(undefined);
  expect(names.size).toBeLessThanOrEqual(400);
  expect(names.size).toBeGreaterThan(300);
});
