/** Connections of a process that is about to stop. */
import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createDrain, endConnections, type Drain } from './drain.ts';

let app: FastifyInstance;
let drain: Drain;
let port: number;

beforeEach(async () => {
  app = Fastify();
  drain = createDrain();
  endConnections(app, drain);
  app.get('/', () => 'answer');
  await app.listen({ port: 0, host: '127.0.0.1' });
  ({ port } = app.server.address() as AddressInfo);
});
afterEach(() => app.close());

async function opened(): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

async function ask(socket: Socket): Promise<string> {
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  const [data] = (await once(socket, 'data')) as [Buffer];
  return data.toString();
}

it('are answered once more and ended, and new ones go to the other processes', async () => {
  const [used, unused] = [await opened(), await opened()];
  expect(await ask(used)).toContain('keep-alive');
  drain.begin(true);
  drain.begin(true);
  await expect(opened()).rejects.toThrow('ECONNREFUSED');
  for (const socket of [used, unused]) {
    const ended = once(socket, 'end');
    expect(await ask(socket)).toMatch(/^HTTP\/1\.1 200[\s\S]*connection: close[\s\S]*answer$/i);
    await ended;
  }
});

it('are still taken by a server that stops wholly, until its balancer has noticed', async () => {
  drain.begin();
  expect(await ask(await opened())).toMatch(/connection: close/i);
});
