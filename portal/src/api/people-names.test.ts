/** The names of people: one request for many, which answers stay, and what is shown without an answer. */
import { renderHook } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { maxNames } from '@cloudfit/contract/people-names.ts';
import { namesOfPeople } from '@cloudfit/contract/calls.ts';
import { loadAgain } from '../testing/load-again.ts';

interface Person {
  userName: string;
  name: string;
  photo: string | null;
}
let directory: Person[] = [];
/** The sign-in names of each request. */
let requests: string[][] = [];
let fails = false;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
  [directory, requests, fails] = [[{ userName: 'Mara@northwind.example', name: 'Mara Okafor', photo: null }], [], false];
  const answered = ({ userNames }: { userNames: string[] }) => {
    requests.push(userNames);
    return fails ? { status: 403, body: {} } : { status: 200, body: { value: directory } };
  };
  // Several requests of one moment arrive as a batch.
  vi.stubGlobal('fetch', (path: string, init: RequestInit) => {
    const sent = JSON.parse(String(init.body)) as { userNames: string[]; requests: { id: string; body: { userNames: string[] } }[] };
    if (path === '/v1/$batch')
      return Promise.resolve(Response.json({ responses: sent.requests.map(({ id, body }) => ({ id, ...answered(body) })) }));
    if (`${init.method} ${path}` !== namesOfPeople) throw new Error(`Unexpected call of ${path}`);
    const { status, body } = answered(sent);
    return Promise.resolve(Response.json(body, { status }));
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const open = () => loadAgain(() => import('./people-names.ts'));

it('asks once for all names of a screen, whatever their case, and renders again when they arrive', async () => {
  const names = await open();
  const { result } = renderHook(() => names.usePersonName());
  const shown = (userName: string) => result.current(userName);
  expect([shown(' mara@northwind.example'), shown('MARA@northwind.example'), shown('Rule 7'), shown('')]).toEqual(['…', '…', '…', '']);
  const before = result.current;
  await names.namesArrived();
  await vi.waitFor(() => expect(result.current).not.toBe(before));
  expect([shown('mara@northwind.example'), shown('Rule 7')]).toEqual(['Mara Okafor', 'Rule 7']);
  expect([names.isPerson(' Mara@Northwind.example '), names.isPerson('rule 7')]).toEqual([true, false]);
  await names.namesArrived();
  expect(requests).toEqual([['mara@northwind.example', 'Rule 7']]);
});

it('asks again after five minutes and after a change of the person, and shows the former name meanwhile', async () => {
  const names = await open();
  names.personName('mara@northwind.example');
  await names.namesArrived();
  const start = Date.now();
  vi.setSystemTime(start + 299_000);
  names.personName('mara@northwind.example');
  await names.namesArrived();
  expect(requests).toHaveLength(1);
  directory = [{ userName: 'mara@northwind.example', name: 'Mara Lind', photo: null }];
  vi.setSystemTime(start + 300_000);
  expect(names.personName('mara@northwind.example')).toBe('Mara Okafor');
  expect(names.isPerson('mara@northwind.example')).toBe(true);
  await names.namesArrived();
  expect(names.personName('mara@northwind.example')).toBe('Mara Lind');
  directory = [];
  names.renewPerson(' MARA@northwind.example');
  names.renewPerson('nobody@northwind.example');
  expect(names.personName('mara@northwind.example')).toBe('Mara Lind');
  await names.namesArrived();
  // Who has left the directory is shown by the sign-in name.
  expect(names.personName('mara@northwind.example')).toBe('mara@northwind.example');
  expect(names.isPerson('mara@northwind.example')).toBe(false);
  expect(requests).toHaveLength(3);
});

it('keeps names when a request fails, shows sign-in names without any, and tells no refusal', async () => {
  const names = await open();
  const { whenForbidden } = await import('./client.ts');
  const refusal = vi.fn<() => void>();
  whenForbidden(refusal);
  names.personName('mara@northwind.example');
  await names.namesArrived();
  fails = true;
  vi.setSystemTime(Date.now() + 300_000);
  names.personName('mara@northwind.example');
  names.personName('tom@northwind.example');
  await names.namesArrived();
  expect(names.personName('mara@northwind.example')).toBe('Mara Okafor');
  expect(names.isPerson('mara@northwind.example')).toBe(true);
  expect(names.personName('tom@northwind.example')).toBe('tom@northwind.example');
  expect(refusal).not.toHaveBeenCalled();
});

it('asks for at most so many names at once as the call accepts', async () => {
  const names = await open();
  for (let n = 0; n <= maxNames; n += 1) names.personName(`person ${n}`);
  await names.namesArrived();
  expect(requests.map((some) => some.length)).toEqual([maxNames, 1]);
});

it('has all names only when those of an earlier moment have arrived too', async () => {
  const names = await open();
  const { fetch } = globalThis;
  const answered = Promise.withResolvers<void>();
  let sent = 0;
  vi.stubGlobal('fetch', async (path: string, init: RequestInit) => {
    sent += 1;
    if (sent === 1) await answered.promise;
    return fetch(path, init);
  });
  names.personName('mara@northwind.example');
  void names.namesArrived();
  await expect.poll(() => sent).toBe(1);
  names.personName('tom@northwind.example');
  let isThere = false;
  const both = names.namesArrived().then(() => (isThere = true));
  await expect.poll(() => names.personName('tom@northwind.example')).toBe('tom@northwind.example');
  expect(isThere).toBe(false);
  answered.resolve();
  await both;
  expect(names.personName('mara@northwind.example')).toBe('Mara Okafor');
});
