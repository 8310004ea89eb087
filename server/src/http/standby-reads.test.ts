/** Which calls may read from the standby, and whose writes are noted. */
import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { isRead } from '../auth/see-as.ts';
import type { Actor, Ctx } from '../context/ctx.ts';
import type { Db } from '../db/db.ts';
import { allActions } from '../testing/all-actions.ts';
import { noteWriters, noticesWrites, readsStandby } from './standby-reads.ts';

it('are reads by their method or their declaration', () => {
  const reading = allActions().filter(readsStandby);
  expect(reading.length).toBeGreaterThan(25);
  expect(reading.filter(({ method, reads }) => !isRead(method, reads === true)).map(({ name }) => name)).toEqual([]);
});

const person: Actor = { kind: 'person', id: 'p1', name: 'Ann', userName: 'ann' };
const token: Actor = { kind: 'token', id: 't1', name: 'Load', scopes: [] };
const device: Actor = { kind: 'device', id: 'd1', name: 'Pump', registrationId: 'r1' };

/** The callers that are noted after a request of `actor`, which runs `text`. */
async function noted(
  method: 'GET' | 'POST' | 'HEAD',
  actor: Actor,
  options: { text?: string; reads?: true; seer?: Actor } = {},
): Promise<string[]> {
  const callers: string[] = [];
  const query = <T>(): Promise<T[]> => Promise.resolve([]);
  const db: Db = { query, last: query, defer: () => Promise.resolve(), transaction: (work) => work(db) };
  const app = Fastify();
  noteWriters(app, {
    note: (caller) => {
      callers.push(caller);
      return Promise.resolve();
    },
    position: () => Promise.resolve(undefined),
  });
  app.route({
    method: ['GET', 'POST', 'HEAD'],
    url: '/',
    config: options.reads ? { reads: true } : {},
    exposeHeadRoute: false,
    onRequest: [
      (request, _reply, done) => {
        request.ctx = { actor, db, ...(options.seer ? { seer: options.seer } : {}) } as Ctx;
        done();
      },
      noticesWrites,
    ],
    handler: async ({ ctx }) => {
      if (options.text === 'transaction') await ctx.db.transaction(() => Promise.resolve());
      else if (options.text !== undefined) await ctx.db.query({ text: options.text });
      return {};
    },
  });
  await app.inject({ method, url: '/' });
  await app.close();
  return callers;
}

it('notes people and tokens after a write, before it is answered, and nobody after a read', async () => {
  expect(await noted('POST', person)).toEqual(['person p1']);
  expect(await noted('POST', token)).toEqual(['token t1']);
  expect(await noted('GET', person, { text: 'select 1' })).toEqual([]);
  expect(await noted('HEAD', person)).toEqual([]);
  expect(await noted('POST', person, { reads: true, text: 'select 1' })).toEqual([]);
});

it('notes a read that writes after all', async () => {
  expect(await noted('GET', person, { text: 'insert into audit default values' })).toEqual(['person p1']);
  expect(await noted('GET', person, { text: 'transaction' })).toEqual(['person p1']);
  expect(await noted('POST', token, { reads: true, text: 'update person set enabled = true' })).toEqual(['token t1']);
});

it('notes no agents, which read from the primary, and nobody who sees as another', async () => {
  expect(await noted('POST', device)).toEqual([]);
  expect(await noted('POST', person, { seer: token })).toEqual([]);
});
