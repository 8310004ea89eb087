import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { allActions } from '../../testing/all-actions.ts';
import { plainIssue } from '@cloudfit/contract/plain-issues.ts';

const textOf = (schema: z.ZodType, value: unknown) => schema.safeParse(value, { error: plainIssue }).error?.issues[0]?.message;

describe('input that does not fit', () => {
  it.each([
    [z.string(), undefined, 'Is required.'],
    [z.coerce.number(), 'x', 'Must be a number.'],
    [z.int(), 1.5, 'Must be a whole number.'],
    [z.int().max(5), 9, 'Must be at most 5.'],
    [z.number().min(0.5), -1, 'Must be at least 0.5.'],
    [z.string().max(1), 'ab', 'Must have at most 1 character.'],
    [z.array(z.int()).min(2), [], 'Must have at least 2 items.'],
    [z.enum(['a', 'b']), 'c', 'Must be one of a, b.'],
    [z.literal(5), 6, 'Must be 5.'],
    [z.iso.datetime(), 'x', 'Must be a time such as 2026-01-31T12:00:00Z.'],
    [z.uuid(), 'x', 'Must be a GUID.'],
    [z.string().regex(/^a$/), 'x', 'Does not have the right form.'],
    [z.strictObject({}), { x: 1 }, 'There is no x here.'],
    [z.union([z.string(), z.int()]), true, 'Has none of the forms that are possible here.'],
    [z.string('Name is required.'), undefined, 'Name is required.'],
  ])('%# is told in plain words', (schema, value, text) => {
    expect(textOf(schema, value)).toBe(text);
  });

  it('is named, so that several are told apart', () => {
    const schema = z.object({ ids: z.array(z.int()), of: z.object({ day: z.iso.date() }) });
    const { error } = schema.safeParse({ of: { day: 'x' } }, { error: plainIssue });
    expect(error?.issues.map(({ message }) => message)).toEqual(['ids is required.', 'of.day must be a date such as 2026-01-31.']);
  });

  it('is told so by every action', () => {
    for (const { name, input } of allActions())
      for (const value of [undefined, Number.NaN, [], 'x', 5, true]) {
        const names = input instanceof z.ZodObject ? Object.keys(input.shape) : [];
        const body = Object.fromEntries(names.map((key) => [key, value]));
        for (const { message } of input.safeParse(body, { error: plainIssue }).error?.issues ?? [])
          expect([name, /^(Invalid|Too |Unrecognized|expected)/i.test(message) && message]).toEqual([name, false]);
      }
  });
});
