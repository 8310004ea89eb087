/** Devices that report regularly, as agents do: a packet that is not accepted is sent again until it is. */
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { FaultSite } from './site.ts';

interface BeatOptions {
  site: FaultSite;
  /** The servers, which are tried in turn. */
  urls: readonly string[];
  beatMs: number;
  /** The limit of the rule on silence. */
  limitSeconds: number;
}

interface Outage {
  from: number;
  to: number;
}

export interface Beats {
  /** Devices for which the rule matched. */
  silent(): Promise<string[]>;
  /**
   * The devices for which the rule matched although they reported in time. A machine that is too busy to send or to accept a packet within
   * the limit is no fault, so such devices do not count; packets that waited for the end of `outage` are in time.
   */
  falselySilent(outage?: Outage): Promise<string[]>;
  /** The device reports no more. */
  die(device: string): void;
  /** Ends the packets and the rule. */
  stop(): Promise<void>;
}

interface AcceptedBeat {
  created: number;
  accepted: number;
}

const retryMs = 200;

/** Begins to send for all hot devices, and makes the rule. Each device has reported for a while, so its beat is known. */
export async function startBeats(client: pg.Client, { site, urls, beatMs, limitSeconds }: BeatOptions): Promise<Beats> {
  const dead = new Set<string>();
  const accepted = new Map<string, AcceptedBeat[]>(site.hotDevices.map((id) => [id, []]));
  let isSending = true;
  const post = async (packets: readonly object[], turn: number): Promise<boolean> => {
    const answer = await fetch(`${urls[turn % urls.length]}/v1/packets`, {
      method: 'POST',
      headers: { authorization: `Bearer ${site.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(packets),
      signal: AbortSignal.timeout(5_000),
    }).catch(() => undefined);
    await answer?.text().catch(() => undefined);
    return answer?.ok === true;
  };
  const packetOf = (entityId: string, at: number) => ({ entityId, timestamp: new Date(at).toISOString(), message: { Value: 1 } });

  async function report(entityId: string, index: number): Promise<void> {
    const first = began + (index * beatMs) / site.hotDevices.length;
    for (let n = 0; isSending && !dead.has(entityId); n += 1) {
      await sleep(Math.max(0, first + n * beatMs - Date.now()));
      const created = Date.now();
      for (let turn = index + n; isSending && !(await post([packetOf(entityId, created)], turn)); turn += 1) await sleep(retryMs);
      accepted.get(entityId)?.push({ created, accepted: Date.now() });
    }
  }

  // What an agent sends that was cut off for a while; the first requests of a server that has just started take long.
  for (const entityId of site.hotDevices)
    await post(
      Array.from({ length: 8 }, (_, n) => packetOf(entityId, Date.now() - (8 - n) * beatMs)),
      0,
    );
  const began = Date.now();
  const sending = site.hotDevices.map(report);
  await sleep(beatMs + retryMs);
  await client.query(`insert into rule (tenant_id, name, rule_type_id, conditions) values ($1, 'Silent', 3, $2)`, [
    site.tenantId,
    JSON.stringify([{ Type: 'And', LeftOperand: 70, Operator: 3, RightOperand: String(limitSeconds) }]),
  ]);
  await client.query("select pg_notify('rules', '')");

  async function silent(): Promise<string[]> {
    const { rows } = await client.query<{ id: string }>(
      `select distinct subject_id as id from rule_match m join rule r using (rule_id) where r.name = 'Silent' and subject_id = any($1)`,
      [site.hotDevices],
    );
    return rows.map(({ id }) => id);
  }

  return {
    silent,
    async falselySilent(outage) {
      const isLate = (device: string): boolean => {
        const packets = accepted.get(device) ?? [];
        return packets.some(({ created }, i) => {
          const until = packets[i + 1]?.accepted ?? Date.now();
          const isOutage = outage !== undefined && created < outage.to && until > outage.from;
          return !isOutage && until - created > limitSeconds * 1_000;
        });
      };
      return (await silent()).filter((device) => !dead.has(device) && !isLate(device));
    },
    die: (device) => void dead.add(device),
    async stop() {
      isSending = false;
      await Promise.all(sending);
      await client.query("update rule set enabled = false where name = 'Silent'");
      await client.query("select pg_notify('rules', '')");
    },
  };
}
