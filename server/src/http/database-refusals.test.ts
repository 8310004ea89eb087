/** An error of PostgreSQL becomes an error of the caller or a temporary one, never an internal server error. */
import { z } from 'zod';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defineAction } from '@cloudfit/contract/action.ts';
import { inTransaction } from '../context/ctx.ts';
import { implement } from '../resources/action.ts';
import { createWorld, holder, type TestWorld } from '../testing/world.ts';

const statements: Readonly<Record<string, string>> = {
  slow: 'set local statement_timeout = 20; select pg_sleep(5)',
  zero: 'select 1 / (select 0)',
  range: 'select 2147483647::int + (select 1)',
  date: "select ('x' || (select 1))::timestamptz",
  wide: `select ${Array.from({ length: 1_700 }, () => '1').join()}`,
};

const ask = defineAction({
  name: 'askDatabase',
  method: 'GET',
  path: '/v1/askDatabase/{what}',
  access: 'signed-in',
  input: z.object({ what: z.string() }),
});
const answered = implement(ask, (ctx, { what }) => inTransaction(ctx, (c) => c.db.query({ text: statements[what] ?? '' })));

let world: TestWorld;
beforeAll(async () => {
  world = await createWorld({ actions: [answered] });
});
afterAll(() => world.close());

describe('the database refuses', () => {
  it.each([
    ['slow', 503, 'Timeout'],
    ['zero', 400, 'InvalidFilter'],
    ['range', 400, 'TypeMismatch'],
    ['date', 400, 'TypeMismatch'],
    ['wide', 400, 'TooComplex'],
  ])('%s: %i %s', async (what, status, code) => {
    const answer = await world.call(holder('all'), 'GET', `/v1/askDatabase/${what}`);
    expect([answer.status, (answer.body['error'] as { code: string }).code]).toEqual([status, code]);
    expect(JSON.stringify(answer.body)).not.toMatch(/select|pg_|statement/i);
    if (status === 503) expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  });
});
