import { expect, it } from 'vitest';
import { sql, written } from './sql.ts';

it('values become numbered parameters in the order of the text, through nested fragments', () => {
  const list = ['a', 'b'];
  const inner = sql`n = any(${list}) and ${sql.ref('t.id')} <> ${undefined}`;
  expect(written(sql`select ${1} from ${sql.table('work_unit')} t where ${inner} limit ${null}`)).toEqual({
    text: 'select $1 from "work_unit" t where n = any($2) and "t"."id" <> $3 limit $4',
    values: [1, list, undefined, null],
  });
});

it('a fragment that is used twice gets parameters at both places', () => {
  const part = sql`x = ${7}`;
  expect(written(sql`${part} or ${part}`)).toEqual({ text: 'x = $1 or x = $2', values: [7, 7] });
});

it('joins fragments and values by a comma or another separator', () => {
  expect(written(sql`(${sql.join([1, sql.ref('a'), 2])})`)).toEqual({ text: '($1, "a", $2)', values: [1, 2] });
  expect(written(sql.join([sql`a`, sql`b`], sql` and `)).text).toBe('a and b');
  expect(written(sql.join([]))).toEqual({ text: '', values: [] });
});

it('quotes names and constants, so that none of them ends early', () => {
  expect(written(sql`${sql.id('a"b.c')} ${sql.ref('s.t"x')}`).text).toBe('"a""b.c" "s"."t""x"');
  expect(written(sql`${sql.lit("it's")} ${sql.lit(5)} ${sql.lit(2n ** 60n)} ${sql.lit(true)} ${sql.lit(null)}`)).toEqual({
    text: "'it''s' 5 1152921504606846976 true null",
    values: [],
  });
  expect(written(sql`a${sql.raw(' desc')}`).text).toBe('a desc');
});
