/**
 * Fields that only the server sets never change by a client's write, for every entity: plain bodies may contain them, patches
 * may not.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Field, Resource } from '@cloudfit/contract/resource.ts';
import { resources } from '@cloudfit/contract/resources/registry.ts';
import { insertSample } from '../testing/samples.ts';
import { createWorld, holder, type WorldReply, type TestWorld } from '../testing/world.ts';

let world: TestWorld;
let home: { tenantId: string; subscriptionId: string };
beforeAll(async () => {
  world = await createWorld();
  home = await world.tenant();
});
afterAll(() => world.close());

/** A valid value of the field that differs from its present one. */
function forged(field: Field, current: unknown): unknown {
  if (field.choices) return field.choices.find((choice) => choice.value !== current)?.value;
  switch (field.kind) {
    case 'guid':
      return crypto.randomUUID();
    case 'boolean':
      return current !== true;
    case 'timestamp':
      return '2020-01-01T00:00:00.000Z';
    case 'text':
      return 'forged@example.com';
    case 'time':
      return '09:09:09';
    case 'json':
      return [{ forged: true }];
    default:
      return Number(current ?? 0) + 1;
  }
}

function targets(reply: WorldReply): string[] {
  const error = reply.body['error'] as { target?: string; details?: { target: string }[] } | undefined;
  return [error?.target ?? '', ...(error?.details ?? []).map((detail) => detail.target)];
}

const plainWays = new Set(['update', 'merge', 'bulk state']);
const updatable = resources.filter((r) => r.verbs.includes('update'));
const patchType = { 'content-type': 'application/json-patch+json' };

describe.each(updatable.map((r) => [r.name, r] as const))('%s', (_name, r: Resource) => {
  it('keeps what only the server sets', async () => {
    const row = await insertSample(world, r, home);
    const key = row[r.key];
    const url = `/v1/${r.name}/${String(key)}`;
    const { body: stored } = await world.call(holder('all'), 'GET', url);
    for (const [name, field] of Object.entries(r.fields)) {
      if (field.write === 'always') continue;
      const value = forged(field, row[name]);
      const ways: [string, string, string, unknown, Record<string, string>?][] = [
        ['update', 'POST', url, { [name]: value }],
        ['merge', 'PATCH', url, { [name]: value }],
        ['replace', 'PATCH', url, [{ op: 'replace', path: `/${name}`, value }], patchType],
        ['add', 'PATCH', url, [{ op: 'add', path: `/${name}`, value }], patchType],
        ['states', 'PATCH', url, { previousState: row, newState: { ...row, [name]: value } }],
        ['bulk state', 'PATCH', `/v1/${r.name}`, { ids: [key], newState: { [name]: value } }],
        ['bulk patch', 'PATCH', `/v1/${r.name}`, [{ id: key, patch: [{ op: 'replace', path: `/${name}`, value }] }]],
      ];
      for (const [way, method, address, body, headers] of ways) {
        const answer = await world.call(holder('all'), method, address, body, headers);
        const isIgnored = field.write === 'never' && plainWays.has(way);
        expect([way, name, answer.status]).toEqual([way, name, isIgnored ? 200 : 400]);
        if (isIgnored) continue;
        expect([way, targets(answer).some((target) => target === name || target === `${String(key)}/${name}`)]).toEqual([way, true]);
      }
    }
    expect((await world.call(holder('all'), 'GET', url)).body).toEqual(stored);
  });

  it('gives no way into prototypes, other fields or other operations', async () => {
    const row = await insertSample(world, r, home);
    const url = `/v1/${r.name}/${String(row[r.key])}`;
    const json = Object.entries(r.fields).find(([, field]) => field.kind === 'json')?.[0];
    const steps = [
      { op: 'replace', path: `/__proto__/${r.title}`, value: 'x' },
      { op: 'replace', path: '/constructor', value: 'x' },
      { op: 'add', path: '/nothing', value: 'x' },
      { op: 'add', path: `/${r.title}/0`, value: 'x' },
      { op: 'copy', from: `/${r.title}`, path: `/${r.title}` },
      { op: 'move', from: `/${r.title}`, path: `/${r.title}` },
      { op: 'replace', path: '', value: {} },
      { op: 'replace', path: '/', value: {} },
      ...(json ? ['__proto__', 'prototype', 'a/b'].map((part) => ({ op: 'add', path: `/${json}/${part}`, value: 1 })) : []),
    ];
    for (const step of steps) {
      const answer = await world.call(holder('all'), 'PATCH', url, [step], patchType);
      expect([step.op, step.path, answer.status]).toEqual([step.op, step.path, 400]);
    }
    const many = Array.from({ length: 101 }, () => ({ op: 'test', path: `/${r.title}`, value: row[r.title] }));
    expect((await world.call(holder('all'), 'PATCH', url, many, patchType)).status).toBe(400);
    const large = [{ op: 'replace', path: `/${r.title}`, value: 'x'.repeat(270_000) }];
    expect((await world.call(holder('all'), 'PATCH', url, large, patchType)).status).toBe(413);
  });
});
