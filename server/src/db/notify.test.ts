import { describe, expect, it } from 'vitest';
import { testDatabase } from '../testing/database.ts';
import { openDatabase } from './connection.ts';
import type { Db, Statement } from './db.ts';
import { createWakeUps, mergeNotifications, notify } from './notify.ts';

async function sentBy(work: (db: Db) => Promise<unknown>): Promise<Statement[]> {
  const sent: Statement[] = [];
  const defer = (statement: Statement) => Promise.resolve(void sent.push(statement));
  await work({ defer } as Db);
  return sent;
}
const valuesOf = (statements: readonly Statement[]) => mergeNotifications(statements).map((mergeNotification) => mergeNotification.values);

describe('notifications of one transaction', () => {
  it('name each device once, in few payloads', async () => {
    const ids = Array.from({ length: 1_000 }, (_, n) => `01a1fcdb-e331-70c1-ba47-${String(n).padStart(12, '0')}`);
    const sent = await sentBy(async (db) => {
      for (const id of [...ids, ...ids]) await notify(db, 'devices', [id]);
    });
    const values = valuesOf(sent);
    expect(values.every((value) => String(value?.[1]).length <= 7_900)).toBe(true);
    expect(values.length).toBeLessThan(10);
    expect(values.flatMap((value) => String(value?.[1]).split(','))).toEqual(ids);
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

describe('wake-ups', () => {
  it('stand for all that come while one is on its way', async () => {
    const sent: string[] = [];
    const notified: string[] = [];
    const answers: (() => void)[] = [];
    const wakeUp = createWakeUps({
      sender: 'this process',
      notifyLocally: (channel) => notified.push(channel) === 0,
      send({ values: [channel, payload] = [] }) {
        expect(payload).toBe('this process');
        sent.push(String(channel));
        return new Promise<void>((resolve) => answers.push(resolve));
      },
    });
    const jobs = { text: '', values: ['jobs', ''] };
    for (let n = 0; n < 50; n++) wakeUp(jobs);
    wakeUp({ text: '', values: ['calls', ''] });
    expect(sent).toEqual(['jobs', 'calls']);
    expect(notified).toHaveLength(51);
    answers[0]?.();
    await expect.poll(() => sent).toEqual(['jobs', 'calls', 'jobs']);
    answers[2]?.();
    await expect
      .poll(() => {
        wakeUp(jobs);
        return sent.length;
      })
      .toBe(4);
  });

  it('go to other processes after a head start of the workers of this one, once for all that come meanwhile', async () => {
    const sent: unknown[] = [];
    const waited = Promise.withResolvers<void>();
    const wakeUp = createWakeUps({
      sender: '',
      notifyLocally: (channel) => channel === 'jobs',
      later: () => waited.promise,
      send: ({ values }) => Promise.resolve(sent.push(values?.[0])),
    });
    for (const channel of ['jobs', 'jobs', 'calls']) wakeUp({ text: '', values: [channel, ''] });
    expect(sent).toEqual(['calls']);
    waited.resolve();
    await expect.poll(() => sent).toEqual(['calls', 'jobs']);
  });

  it('come after a commit, and after no rollback', async () => {
    const { url, close } = await testDatabase();
    const database = openDatabase({ url, max: 3, onError: () => undefined });
    const received: string[] = [];
    await database.listen('jobs', () => received.push('jobs'));
    await database.listen('devices', (ids) => received.push(`devices ${ids}`));
    await expect.poll(() => received.length).toBe(2);
    received.length = 0;
    const db = database.scoped('all');
    const undone = db.transaction(async (tx) => {
      await notify(tx, 'jobs');
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    await db.transaction((tx) => notify(tx, 'devices', ['a']));
    await expect.poll(() => received).toEqual(['devices a']);
    await db.transaction((tx) => notify(tx, 'jobs'));
    await expect.poll(() => received).toEqual(['devices a', 'jobs']);
    await database.close();
    await close();
  });

  it('reach the process that sends them without the database and once, and other processes through it', async () => {
    const { url, close } = await testDatabase();
    const process = () => ({ database: openDatabase({ url, max: 2, onError: () => undefined }), received: new Array<string>() });
    const [here, there] = [process(), process()];
    for (const { database, received } of [here, there]) {
      await database.listen('jobs', () => received.push('jobs'));
      await database.listen('devices', () => received.push('devices'));
      received.length = 0;
    }
    const db = here.database.scoped('all');
    await db.transaction((tx) => notify(tx, 'jobs'));
    // No statement has been answered since the commit.
    expect(here.received).toEqual(['jobs']);
    await expect.poll(() => there.received).toEqual(['jobs']);
    // What is sent later arrives later, so the first notification has not come a second time.
    await there.database.scoped('all').transaction((tx) => notify(tx, 'jobs'));
    await expect.poll(() => here.received).toEqual(['jobs', 'jobs']);
    await db.transaction((tx) => notify(tx, 'devices'));
    await expect.poll(() => here.received).toEqual(['jobs', 'jobs', 'devices']);
    expect(there.received.filter((channel) => channel === 'jobs')).toHaveLength(2);
    await Promise.all([here.database.close(), there.database.close()]);
    await close();
  });
});
