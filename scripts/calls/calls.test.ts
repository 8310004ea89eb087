import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { callsText, declaredCalls } from './calls.ts';
import { judgeCalls } from '../rooms.ts';

it('has every declared call, once by its name', async () => {
  const calls = await declaredCalls();
  expect(new Set(calls.map(({ name }) => name)).size).toBe(calls.length);
  expect(readFileSync(new URL('../../contract/src/calls.ts', import.meta.url), 'utf8')).toBe(callsText(calls));
});

it('refuses a call by an address outside of portal/src/api', () => {
  const path = 'portal/src/features/people/a.ts';
  const byAddress = `import { callJson, failureText } from '../../api/client.ts';\n`;
  expect(judgeCalls(path, byAddress)).toMatch(/calls an address/);
  expect(judgeCalls(path, `const answer = await fetch('/v1/people');`)).toMatch(/calls an address/);
  expect(judgeCalls(path, `import { failureText } from '../../api/client.ts';\n`)).toBeUndefined();
  expect(judgeCalls(path, `await query.refetch();`)).toBeUndefined();
  expect(judgeCalls('portal/src/api/call.ts', byAddress)).toBeUndefined();
});
