import { mkdtemp, rm } from 'node:fs/promises';
import { chmodSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type EmbeddedServer, startEmbedded } from '../../server/src/db/embedded/embedded.ts';
import { judgeStatements } from './statements.ts';

let folder: string;
let server: EmbeddedServer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cloudfit-statements-'));
  chmodSync(folder, 0o711);
  server = await startEmbedded({ dataDir: join(folder, 'data'), log: () => undefined, settings: { fsync: 'off' } });
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  await client.query('create table device (id int, name text, added text)');
  await client.end();
}, 60_000);
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

it('lets statements pass that mean the same, also with more columns, and names those that fail or mean something else', async () => {
  const same = { text: 'select * from device where id = $1', parameters: ['int4'], columns: { id: 'int4', name: 'text' } };
  expect(await judgeStatements([same], server.url)).toEqual([]);
  expect(
    await judgeStatements(
      [
        { ...same, text: 'select tags from device' },
        { ...same, columns: { id: 'int4', name: 'jsonb' } },
        { ...same, columns: { id: 'int4', tags: 'text' } },
        { ...same, parameters: ['uuid'] },
      ],
      server.url,
    ),
  ).toEqual([
    expect.stringContaining('column "tags" does not exist: select tags from device'),
    expect.stringContaining('name is text, not jsonb'),
    expect.stringContaining('tags is missing, not text'),
    expect.stringContaining('its values are int4, not uuid'),
  ]);
});
