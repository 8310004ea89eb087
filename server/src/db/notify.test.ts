import { describe, expect, it } from 'vitest';
import type { Db, Statement } from './connection.ts';
import { mergeNotifications, notify } from './notify.ts';

async function sentBy(work: (db: Db) => Promise<unknown>): Promise<Statement[]> {
  const sent: Statement[] = [];
  const defer = (statement: Statement) => Promise.resolve(void sent.push(statement));
  await work({ defer } as Db);
  return sent;
}
const valuesOf = (statements: readonly Statement[]) => mergeNotifications(statements).map((one) => one.values);

describe('notifications of one transaction', () => {
  it('name each device once, in few payloads', async () => {
    const ids = Array.from({ length: 1_000 }, (_, n) => `01a1fcdb-e331-70c1-ba47-${String(n).padStart(12, '0')}`);
    const sent = await sentBy(async (db) => {
      for (const id of [...ids, ...ids]) await notify(db, 'devices', [id]);
    });
    const values = valuesOf(sent);
    expect(values.every((one) => String(one?.[1]).length <= 7_900)).toBe(true);
    expect(values.length).toBeLessThan(10);
    expect(values.flatMap((one) => String(one?.[1]).split(','))).toEqual(ids);
  });

  it('leave other channels, and what says to check everything, as they are', async () => {
    const sent = await sentBy(async (db) => {
      await notify(db, 'devices');
      await notify(db, 'presence', ['tenant', 'unit', 'page']);
      await notify(db, 'devices', ['a', 'b']);
      await notify(db, 'presence', ['tenant', 'unit', 'other']);
    });
    expect(valuesOf(sent)).toEqual([
      ['devices', ''],
      ['presence', 'tenant,unit,page'],
      ['presence', 'tenant,unit,other'],
      ['devices', 'a,b'],
    ]);
  });
});
