/** Values of fields, valid and invalid, as literals of queries and as JSON. */
import type { Field } from '@cloudfit/contract/resource.ts';
import type { Chance } from './chance.ts';

/** Texts that often cause errors. */
const texts = [
  '',
  'a',
  "O'Neil",
  '%',
  '_',
  '\\',
  '"',
  ';drop table tenant;--',
  '\u0000',
  '\uD800',
  '\u{1F600}',
  '\u0130',
  'null',
  '__proto__',
  '{{name}}',
  '=1+1',
  '<b>',
  '../../x',
  ' ',
  'x'.repeat(300),
  'x'.repeat(5_000),
] as const;
const numbers = [0, 1, -1, 4, 14, 2_147_483_647, 2_147_483_648, -2_147_483_649, 9_007_199_254_740_992, 1e308, -0, 0.1, 1e-320] as const;
const times = [
  '2026-01-01T00:00:00Z',
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999Z',
  '2026-02-30T00:00:00Z',
  '2026-11-21T10:00:00+14:00',
  '2026-11-21',
] as const;
const durations = ['00:05:00', '9999:59:59', 'PT5M', 'P1D', '00:99:00'] as const;
export const noGuid = '00000000-0000-0000-0000-000000000000';

/** Existing ids, in the caller's tenant and in others. */
export type Ids = readonly string[];

export function anyText(c: Chance): string {
  return c.some(texts) ?? '';
}

function guid(c: Chance, ids: Ids): string {
  return c.once(4) ? noGuid : (c.some(ids) ?? noGuid);
}

/** Generates a literal of `$filter`, which usually fits the field. */
export function literal(c: Chance, field: Field, ids: Ids): string {
  if (c.once(12)) return c.pick(['null', 'true', "''", '1', "duration'PT1S'", 'INF', '2026-01-01', "x'00'", '@p', '-1']);
  switch (field.kind) {
    case 'guid':
      return guid(
        c,
        ids.filter((id) => id.length === 36),
      );
    case 'bigint':
      return c.once(2) ? (c.some(ids.filter((id) => /^\d+$/.test(id))) ?? '1') : String(c.some(numbers));
    case 'int':
    case 'decimal':
      return String(c.some(numbers));
    case 'boolean':
      return c.pick(['true', 'false']);
    case 'timestamp':
      return c.some(times) ?? '';
    case 'time':
      return `duration'${c.some(durations) ?? ''}'`;
    default: {
      const choice = c.some(field.choices ?? []);
      return `'${(choice && c.once(2) ? String(choice.value) : anyText(c)).replaceAll("'", "''")}'`;
    }
  }
}

export function anyJson(c: Chance, ids: Ids, depth = 0): unknown {
  switch (c.below(depth > 3 ? 6 : 8)) {
    case 0:
      return null;
    case 1:
      return c.once(2);
    case 2:
      return c.some(numbers);
    case 3:
      return c.some(times);
    case 4:
      return guid(c, ids);
    case 5:
      return anyText(c);
    case 6:
      return c.times(4, () => anyJson(c, ids, depth + 1));
    default:
      return Object.fromEntries(
        c.times(4, () => [c.pick(['a', 'Type', 'Value', 'id', 'constructor', 'Parameters', 'x']), anyJson(c, ids, depth + 1)]),
      );
  }
}

/** Generates the JSON value of a field, often a valid one. */
export function fieldJson(c: Chance, field: Field, ids: Ids): unknown {
  if (c.once(4)) return anyJson(c, ids);
  switch (field.kind) {
    case 'guid':
      return guid(c, ids);
    case 'bigint':
      return c.once(2) ? Number(c.some(ids.filter((id) => /^\d+$/.test(id))) ?? 1) : c.some(numbers);
    case 'int':
      return (field.choices ? c.some(field.choices)?.value : undefined) ?? c.some(numbers);
    case 'decimal':
      return c.some(numbers);
    case 'boolean':
      return c.once(2);
    case 'timestamp':
      return c.some(times);
    case 'time':
      return c.some(durations);
    case 'json':
      return anyJson(c, ids);
    default:
      return field.choices ? c.some(field.choices)?.value : anyText(c);
  }
}
