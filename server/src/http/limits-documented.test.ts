/** The limits in docs/CLIENTS.md are those of the code, and a refused request names its limit. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { limits } from '@cloudfit/contract/limits.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../testing/world.ts';
import { usualRates } from './rate-limit.ts';

const guide = readFileSync(join(import.meta.dirname, '../../../docs/CLIENTS.md'), 'utf8');

/** Returns the second cell of the line of a limit. */
function documented(limit: string): string {
  const line = guide.split('\n').find((line) => line.startsWith(`| ${limit} |`));
  return line?.split('|')[2]?.trim() ?? `no line "${limit}"`;
}

const number = (value: number): string => value.toLocaleString('en-US');
const mebibytes = (bytes: number): string => `${bytes / 1_048_576} MiB`;
const rate = ({ perSecond, burst }: { perSecond: number; burst: number }): string =>
  `${number(perSecond)} a second, ${number(burst)} at once`;

let world: TestWorld;
let me: TestCaller;
beforeAll(async () => {
  world = await createWorld();
  me = holder([(await world.tenant()).tenantId]);
});
afterAll(() => world.close());

it.each([
  ['rows of a page', `${number(limits.pageDefault)}, by \`$top\` or \`Prefer: maxpagesize\` up to ${number(limits.pageMax)}`],
  ['rows that `$skip` leaves out', number(limits.skipMax)],
  ['characters of an address', `${number(limits.urlLength)}; send a longer one as a call of \`$batch\``],
  ['values of one `in`', number(limits.inValues)],
  ['keys of `$orderby`, of `groupby`', `${limits.orderByKeys}, ${limits.groupKeys}`],
  ['levels of `$expand`, its relations, rows of each', `${limits.expandDepth}, ${limits.expandItems}, ${number(limits.expandRows)}`],
  ['calls of a `$batch`', number(limits.batchParts)],
  ['rows of a bulk edit', number(limits.pageMax)],
  [
    'packets of one post, as a list or as lines of NDJSON',
    `${number(limits.packetsPerBatch)}, ${mebibytes(8 * limits.bodyBytes)} together`,
  ],
  ['bytes of a packet', mebibytes(limits.packetBytes)],
  ['bytes of another body', mebibytes(limits.bodyBytes)],
  ['calls of a token', rate(usualRates.token)],
  ['calls of a person, and of a network without a sign-in', rate(usualRates.person)],
  ['calls of a device', rate(usualRates.device)],
])('%s', (limit, value) => {
  expect(documented(limit)).toBe(value);
  expect(usualRates.anonymous).toEqual(usualRates.person);
});

const list = (count: number): string => Array.from({ length: count }, (_, n) => n + 1).join(',');
const calls = (count: number) => Array.from({ length: count }, (_, n) => ({ id: `${n}`, method: 'GET', url: 'tenants' }));

it.each<[string, string, string, unknown, number, string]>([
  [
    'values of in',
    'GET',
    `/v1/workUnits?$filter=workUnitId in (${list(limits.inValues + 1)})`,
    undefined,
    400,
    `${limits.inValues} values`,
  ],
  ['$skip', 'GET', `/v1/workUnits?$skip=${limits.skipMax + 1}`, undefined, 400, String(limits.skipMax)],
  ['the address', 'GET', `/v1/workUnits?$filter=title eq '${'x'.repeat(limits.urlLength)}'`, undefined, 414, String(limits.urlLength)],
  ['a batch', 'POST', '/v1/$batch', { requests: calls(limits.batchParts + 1) }, 400, String(limits.batchParts)],
  ['a body', 'POST', '/v1/workUnits', { title: 'x'.repeat(limits.bodyBytes) }, 413, mebibytes(limits.bodyBytes)],
  ['keys of $orderby', 'GET', '/v1/workUnits?$orderby=title,created,modified,source,category,effort', undefined, 400, '5'],
])('a refusal of %s names the limit', async (_name, method, url, body, status, text) => {
  const answer = await world.call(me, method, url, body);
  expect([answer.status, answer.body['error']]).toEqual([status, expect.objectContaining({ message: expect.stringContaining(text) })]);
});
