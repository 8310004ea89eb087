import { expect, it } from 'vitest';
import { environmentOf } from '../../platform/arguments.ts';
import { loadConfig } from '../../platform/config.ts';
import { createBackOff } from './back-off.ts';
import { mergeMetrics } from './merge-metrics.ts';
import { connectionsFor, planOf, poolOfEach } from './plan.ts';

const namesOf = (env: Record<string, string>): string[] | undefined => planOf(loadConfig(env))?.map(({ name }) => name);

it('is one process that does everything, unless more are asked for', () => {
  expect(namesOf({})).toBeUndefined();
  expect(namesOf({ PROCESSES: '1', ROLES: 'worker' })).toBeUndefined();
});

it.each([
  ['2', ['api-1', 'worker-1']],
  ['4', ['api-1', 'api-2', 'api-3', 'worker-1']],
  ['6', ['api-1', 'api-2', 'api-3', 'api-4', 'worker-1', 'worker-2']],
  ['worker:2,api:1', ['api-1', 'worker-1', 'worker-2']],
])('divides %s among the roles', (PROCESSES, names) => {
  expect(namesOf({ PROCESSES })).toEqual(names);
});

it('divides among the roles of this command alone', () => {
  expect(namesOf({ PROCESSES: '2', ROLES: 'worker' })).toEqual(['worker-1', 'worker-2']);
});

it.each(['0', '65', 'api', 'api:0', 'api:1,api:2', 'cook:1', 'api:1:2'])('refuses %s', (PROCESSES) => {
  expect(() => loadConfig({ PROCESSES })).toThrow(
    `PROCESSES must be a number from 1 to 64, or a number of processes for each role, such as api:3,worker:1, not "${PROCESSES}".`,
  );
});

it('divides the connections, and has PostgreSQL allow them', () => {
  expect([poolOfEach(20, 1), poolOfEach(20, 4), poolOfEach(20, 16)]).toEqual([20, 5, 4]);
  expect([connectionsFor(20, 1), connectionsFor(5, 4), connectionsFor(4, 16)]).toEqual([60, 60, 100]);
});

it('takes the number as an argument, and no other', () => {
  expect(environmentOf(['--processes', '4'])).toEqual({ PROCESSES: '4' });
  expect(environmentOf([])).toEqual({});
  expect(() => environmentOf(['--proceses=4'])).toThrow(
    'npm start -- knows --processes, as in --processes 4, and --help; not "--proceses=4".',
  );
});

it('starts a process at once when it was well, and later when it ends again and again', () => {
  const delay = createBackOff();
  expect([100, 100, 100, 100, 100].map(delay)).toEqual([0, 250, 500, 1_000, 2_000]);
  for (let n = 0; n < 20; n++) delay(100);
  expect(delay(100)).toBe(30_000);
  expect([delay(40_000), delay(100), delay(100)]).toEqual([0, 0, 250]);
});

it('joins the figures of processes under one heading for each metric', () => {
  const heading = (name: string): string => `# HELP ${name} About ${name}.\n# TYPE ${name} gauge`;
  const one = `${heading('a')}\na{process="api-1"} 1\n\n${heading('b')}\nb 2\n`;
  const other = `${heading('a')}\na{process="api-2"} 3\n`;
  expect(mergeMetrics([one, '', other])).toBe(`${heading('a')}\na{process="api-1"} 1\na{process="api-2"} 3\n\n${heading('b')}\nb 2\n`);
});
