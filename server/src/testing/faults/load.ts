/** Load for the fault tests: senders of packets and people who edit; they record what the server acknowledged. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { runs } from '@cloudfit/contract/testing/runs.ts';

export interface UnitOfLoad {
  workUnitId: number;
  title: string;
  /** Acknowledged values of category after the creation, oldest first. */
  patches: string[];
  /** Value of category that was sent and not acknowledged: it may or may not have been written. */
  unsure: string | undefined;
}

export interface Load {
  /** `messageId` of every packet that was answered `stored` or `duplicate`. */
  packets: ReadonlySet<string>;
  /** Devices for which an acknowledged batch reported a high CPU three times in a row. */
  hot: ReadonlySet<string>;
  units: readonly UnitOfLoad[];
  /** Number of answers by status; 0 stands for no answer. */
  statuses: ReadonlyMap<number, number>;
  /** Why there was no answer, oldest first. */
  unanswered: readonly string[];
  /** The longest time without an answer of success, in milliseconds, since the last call of this. */
  longestGapMs(): number;
  /**
   * Stops when more than `min` packets, matching devices, work units and changes of these are acknowledged, but after a minute
   * at most. Resolves when the running requests have ended; rejects if an answer was neither correct nor due to an unavailable
   * server.
   */
  stop(min?: number): Promise<void>;
}

export interface LoadOptions {
  /** Addresses of the servers, among which senders and writers are distributed. */
  urls: readonly string[];
  token: string;
  tenantId: string;
  /** Two successive batches each have three hot packets of the first device, the next two of the second device, and so on. */
  hotDevices: readonly string[];
  /** Devices that report all the time without matching. */
  coolDevices: readonly string[];
  senders?: number;
  writers?: number;
}

/** Packets of one request. */
const batchSize = runs(20, 200);
/** The pause of each sender and writer after a success; in the long form they send as fast as they can. */
const paceMs = runs(200, 0);
const waitMs = 40;
const away = new Set([0, 503]);

interface Reply {
  status: number;
  body: unknown;
}

/** Starts senders and writers, which continue while servers fail, until `stop` is called. */
export function startLoad(options: LoadOptions): Load {
  const packets = new Set<string>();
  const hot = new Set<string>();
  const units: UnitOfLoad[] = [];
  const statuses = new Map<number, number>();
  const unanswered: string[] = [];
  const wrong: string[] = [];
  let stopping = false;
  let batches = 0;
  let succeededAt = performance.now();
  let longestGap = 0;

  async function call(server: number, method: string, path: string, body: unknown, type = 'application/json'): Promise<Reply> {
    const headers = { authorization: `Bearer ${options.token}`, 'content-type': type };
    const began = performance.now();
    const none = (error: Error): Reply => {
      const { code = error.name } = (error.cause ?? error) as { code?: string };
      unanswered.push(`${method} ${path}: ${code} after ${Math.round(performance.now() - began)} ms`);
      return { status: 0, body: undefined };
    };
    const reply = await fetch(`${options.urls[server % options.urls.length]}${path}`, {
      method,
      headers,
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(15_000),
    })
      // The body is read too: an answer whose body breaks off has acknowledged nothing.
      .then(async (answer): Promise<Reply> => ({ status: answer.status, body: await answer.json() }), none)
      .catch(none);
    statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1);
    if (reply.status === 200 || reply.status === 201) {
      const now = performance.now();
      longestGap = Math.max(longestGap, now - succeededAt);
      succeededAt = now;
      if (paceMs > 0) await sleep(paceMs);
    }
    if (reply.status >= 400 && !away.has(reply.status)) wrong.push(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
    if (away.has(reply.status)) await sleep(waitMs);
    return reply;
  }

  function batchOf(
    cool: readonly string[],
    device: string | undefined,
  ): { messageId: string; entityId: string; timestamp: string; message: unknown }[] {
    const now = Date.now();
    return Array.from({ length: batchSize }, (_, index) => {
      const messageId = randomUUID();
      const isHot = device !== undefined && index < 3;
      return {
        messageId,
        entityId: isHot ? device : (cool[index % cool.length] ?? ''),
        timestamp: new Date(now + index).toISOString(),
        message: { Metrics: { Cpu: isHot ? 95 : index % 90, Memory: 40 }, Properties: { MessageId: messageId } },
      };
    });
  }

  async function send(sender: number, cool: readonly string[]): Promise<void> {
    while (!stopping) {
      const device = options.hotDevices[Math.floor(batches++ / 2)];
      const batch = batchOf(cool, device);
      // Repeats a batch until it is acknowledged, as an agent repeats packets of its outbox.
      for (let done = false; !done && !stopping;) {
        const { status, body } = await call(sender, 'POST', '/v1/packets', batch);
        if (!away.has(status) && status !== 200) return;
        if (status !== 200) continue;
        done = true;
        const answers = (body as { value: { status: string; message?: string }[] }).value;
        answers.forEach((answer, index) => {
          if (answer.status === 'refused') wrong.push(`A packet was refused: ${answer.message}`);
          else packets.add(batch[index]?.messageId ?? '');
        });
        if (device) hot.add(device);
      }
    }
  }

  async function change(writer: number, unit: UnitOfLoad, times: number): Promise<void> {
    for (let n = 1; n <= times && !stopping; n++) {
      const before = unit.patches.at(-1) ?? null;
      const value = `${n}`;
      unit.unsure = value;
      const patch = [
        { op: 'test', path: '/category', value: before },
        { op: 'replace', path: '/category', value },
      ];
      const { status } = await call(writer, 'PATCH', `/v1/workunits/${unit.workUnitId}`, patch, 'application/json-patch+json');
      if (status !== 200) return;
      unit.patches.push(value);
      unit.unsure = undefined;
    }
  }

  async function write(writer: number): Promise<void> {
    for (let n = 1; !stopping; n++) {
      const title = `Written by ${writer}, ${n}, ${randomUUID()}`;
      const { status, body } = await call(writer, 'PUT', '/v1/workunits', {
        title,
        severityId: 'Sev3',
        workUnitTypeId: 1,
        tenantId: options.tenantId,
      });
      if (status !== 201) continue;
      const unit: UnitOfLoad = { workUnitId: (body as { workUnitId: number }).workUnitId, title, patches: [], unsure: undefined };
      units.push(unit);
      await change(writer, unit, 3);
    }
  }

  const senders = options.senders ?? 4;
  const writers = options.writers ?? 2;
  // Each sender has its own cool devices: packets of one device come from one sender, in order.
  const running = Promise.all([
    ...Array.from({ length: senders }, (_, n) =>
      send(
        n,
        options.coolDevices.filter((_device, index) => index % senders === n),
      ),
    ),
    ...Array.from({ length: writers }, (_, n) => write(n)),
  ]);
  return {
    packets,
    hot,
    units,
    statuses,
    unanswered,
    longestGapMs: () => {
      const longest = longestGap;
      longestGap = 0;
      return longest;
    },
    stop: async (min = -1) => {
      const fewest = () => Math.min(packets.size, hot.size, units.length, units.flatMap((unit) => unit.patches).length);
      for (const end = Date.now() + 60_000; fewest() <= min && wrong.length === 0 && Date.now() < end;) await sleep(50);
      stopping = true;
      await running;
      if (wrong.length > 0) throw new Error(`${wrong.length} wrong answers, such as:\n${[...new Set(wrong)].slice(0, 5).join('\n')}`);
    },
  };
}
