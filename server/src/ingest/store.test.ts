import { describe, expect, it } from 'vitest';
import type { Db } from '../db/db.ts';
import { storePacketsThen, type PacketToStore } from './store.ts';

const packet = (entityId: string, length: number) =>
  ({
    packet: { entityId, packetId: entityId, timestamp: 0, json: `"${'x'.repeat(length)}"` },
    tenantId: 't',
    newest: true,
    builtOn: null,
    revision: 0,
    evaluated: null,
    state: undefined,
  }) as unknown as PacketToStore;

/** A transaction whose statements are answered by hand. `log` has what was sent and answered, in this order. */
function transaction() {
  const log: string[] = [];
  const answers: { succeed(): void; fail(error: Error): void }[] = [];
  const query = (name: string) =>
    new Promise<never[]>((resolve, reject) => {
      const n = answers.length + 1;
      log.push(`${name} ${n} sent`);
      answers.push({
        succeed() {
          log.push(`${name} ${n} answered`);
          resolve([]);
        },
        fail: reject,
      });
    });
  const tx = { query: () => query('packets') } as unknown as Db;
  return { tx, log, answers, next: () => query('next').then(() => 'result') };
}

const options = (next: () => Promise<string>) => ({ receipts: false, next });

describe('packets and the statement after them', () => {
  it('are sent together, after the earlier statements of a large batch', async () => {
    const { tx, log, answers, next } = transaction();
    const result = storePacketsThen(tx, [packet('b', 1_000_000), packet('a', 1_000_000)], 0, options(next));
    expect(log).toEqual(['packets 1 sent']);
    answers[0]?.succeed();
    await expect.poll(() => log).toEqual(['packets 1 sent', 'packets 1 answered', 'packets 2 sent', 'next 3 sent']);
    answers[1]?.succeed();
    answers[2]?.succeed();
    expect(await result).toBe('result');
  });

  it('fail with the error of the packets, not with that of the statement after them', async () => {
    const { tx, answers, next } = transaction();
    const result = storePacketsThen(tx, [packet('a', 1)], 0, options(next));
    answers[0]?.fail(new Error('conflict'));
    answers[1]?.fail(new Error('the transaction is aborted'));
    await expect(result).rejects.toThrow('conflict');
  });
});
