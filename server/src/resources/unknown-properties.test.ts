import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { unknownProperties } from './unknown-properties.ts';

const schema = z
  .object({
    id: z.string(),
    days: z.int().default(7),
    rings: z.optional(z.array(z.object({ share: z.int() }))),
    of: z.nullish(z.object({ from: z.string(), to: z.string() })),
    values: z.record(z.string(), z.unknown()).optional(),
    open: z.looseObject({ name: z.string() }).optional(),
    row: z.object({ key: z.string() }).meta({ additionalProperties: true }).optional(),
  })
  .superRefine(() => undefined);
const targets = (value: unknown) => unknownProperties(schema, value, ['id']).map(({ target }) => target);

describe('properties that a declaration does not have', () => {
  it('are named with those that there are, without those of the path', () => {
    expect(unknownProperties(schema, { id: 'a', dais: 3 }, ['id'])).toEqual([
      { target: 'dais', message: 'There is no dais here; there are days, rings, of, values, open, row.' },
    ]);
    expect(unknownProperties(z.object({ id: z.string() }), { a: 1 }, ['id'])[0]?.message).toBe(
      'There is no a here; the body has no properties.',
    );
  });

  it('are found in lists and in objects', () => {
    expect(targets({ rings: [{ share: 5 }, { shar: 7 }], of: { form: 'x' } })).toEqual(['rings.1.shar', 'of.form']);
    expect(targets({ of: null, rings: undefined })).toEqual([]);
  });

  it('are none where any may be, and none are annotations of the protocol', () => {
    expect(targets({ values: { a: { b: 1 } }, open: { more: 1 }, row: { more: 1 }, '@odata.context': 'x', 'of@odata.bind': 'x' })).toEqual(
      [],
    );
  });
});

it('looks into the part of a union that the value is', () => {
  const tile = z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('chart'), hours: z.number() }),
    z.object({ kind: z.literal(['list', 'count']), of: z.object({ name: z.string() }) }),
  ]);
  const targets = (value: unknown) => unknownProperties(z.array(tile), value).map(({ target }) => target);
  expect(
    targets([
      { kind: 'chart', hours: 1 },
      { kind: 'count', of: { name: 'x' } },
    ]),
  ).toEqual([]);
  expect(
    targets([
      { kind: 'chart', hours: 1, of: 1 },
      { kind: 'count', of: { name: 'x', zzz: 1 } },
    ]),
  ).toEqual(['0.of', '1.of.zzz']);
});
