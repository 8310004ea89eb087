/** A server that is killed and started again: no device that lives is reported silent, and one that died meanwhile is. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { isLong } from '@cloudfit/contract/testing/runs.ts';
import { testDatabase } from '../database.ts';
import { serverProcess } from '../server-process.ts';
import { connect, prepareSite } from './site.ts';

const beatMs = 4_000;
const limitSeconds = 12;

it('reports nobody for the restart of a server, however often, but who died during it', { timeout: 480_000 }, async () => {
  const database = await testDatabase();
  const server = await serverProcess({ databaseUrl: database.url, env: { MASTER_KEY: Buffer.alloc(32, 7).toString('base64') } });
  let isSending = true;
  try {
    await server.start();
    const client = await connect(database.url);
    const site = await prepareSite(client, { DATABASE_URL: database.url }, { hot: 6, cool: 0 });
    const [dead = '', ...alive] = site.hotDevices;
    let dies = false;
    // A packet that is not accepted is lost: the device reports again with its next beat.
    const sending = site.hotDevices.map(async (entityId, i) => {
      await sleep((i * beatMs) / site.hotDevices.length);
      while (isSending && !(dies && entityId === dead)) {
        const packet = { entityId, timestamp: new Date().toISOString(), message: { Value: 1 } };
        const headers = { authorization: `Bearer ${site.token}`, 'content-type': 'application/json' };
        void fetch(`${server.url}/v1/packets`, { method: 'POST', headers, body: JSON.stringify(packet) }).catch(() => undefined);
        await sleep(beatMs);
      }
    });
    await sleep(5 * beatMs);
    await client.query(`insert into rule (tenant_id, name, rule_type_id, conditions) values ($1, 'Silent', 3, $2)`, [
      site.tenantId,
      JSON.stringify([{ Type: 'And', LeftOperand: 70, Operator: 3, RightOperand: String(limitSeconds) }]),
    ]);
    await client.query("select pg_notify('rules', '')");
    for (const downMs of isLong ? [10_000, 1_000, 1_000] : [10_000, 1_000]) {
      await server.kill();
      dies = true;
      await sleep(downMs);
      await server.start();
      await sleep(3_000);
    }
    const silent = async () =>
      (
        await client.query<{ id: string }>(
          `select distinct subject_id as id from rule_match m join rule r using (rule_id) where r.name = 'Silent' and subject_id = any($1)`,
          [site.hotDevices],
        )
      ).rows.map(({ id }) => id);
    for (const end = Date.now() + 90_000; !(await silent()).includes(dead) && Date.now() < end;) await sleep(500);
    await sleep(2 * beatMs);
    expect(await silent()).toEqual([dead]);
    expect(alive).toHaveLength(5);
    const answer = await fetch(`${server.url}/v1/series/outages?from=2020-01-01T00:00:00Z`, {
      headers: { authorization: `Bearer ${site.token}` },
    });
    const { value } = (await answer.json()) as { value: { from: string; to: string }[] };
    expect(value.length).toBeGreaterThan(0);
    expect(Date.parse(value[0]?.to ?? '') - Date.parse(value[0]?.from ?? '')).toBeGreaterThan(10_000);
    isSending = false;
    await Promise.all(sending);
    await client.end();
  } finally {
    isSending = false;
    await server.remove();
    await database.close();
  }
});
