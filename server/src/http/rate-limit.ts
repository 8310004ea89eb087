/** Rate limits: token buckets in memory per caller, and counters in the database for named limits. */
import { createHash } from 'node:crypto';
import type { LimitName } from '@cloudfit/contract/action.ts';
import { tooManyRequests, type ApiError } from '@cloudfit/contract/errors.ts';
import type { Ctx } from '../context/ctx.ts';
import type { Db } from '../db/db.ts';
import { networkOf } from '../platform/network.ts';

export interface Rate {
  perSecond: number;
  burst: number;
}

/**
 * Rates per process. Many agents and bulk imports share a token, so the bucket of a token only stops a program that
 * runs wild.
 */
export interface Rates {
  person: Rate;
  token: Rate;
  device: Rate;
  /** Per network, for calls without sign-in. */
  anonymous: Rate;
  /**
   * For sign-ins of agents, per network. Agents of a site often share an address; when its connection returns, all of them ask
   * for a token at once, and people at the same site must still be able to sign in.
   */
  agentSignIn: Rate;
}

export const usualRates: Rates = {
  person: { perSecond: 50, burst: 200 },
  token: { perSecond: 5_000, burst: 10_000 },
  // Packets of a device come in batches; an agent that was offline for long sends many.
  device: { perSecond: 100, burst: 1_000 },
  anonymous: { perSecond: 50, burst: 200 },
  agentSignIn: { perSecond: 500, burst: 2_000 },
};

/** Returns the key of a bucket: a person, a token, a device, or the network of an unauthenticated caller. */
function callerOf(ctx: Pick<Ctx, 'actor' | 'address'>, isAgentSignIn: boolean): { kind: keyof Rates; key: string } {
  const { kind, id } = ctx.actor;
  return kind === 'system' ? { kind: isAgentSignIn ? 'agentSignIn' : 'anonymous', key: networkOf(ctx.address) } : { kind, key: id };
}

function tooManyAtOnce(kind: keyof Rates, { perSecond, burst }: Rate, seconds: number): ApiError {
  return tooManyRequests(
    `Too many requests at once: ${burst}, and then ${perSecond} a second, are possible here. Please wait a moment and try again.`,
    Math.max(1, Math.ceil(seconds)),
    { name: kind, calls: burst, seconds: Math.ceil(burst / perSecond) },
  );
}

interface TokenBucket {
  left: number;
  at: number;
  rate: Rate;
}

const maxBuckets = 20_000;

/**
 * Returns a function that takes a call from the caller's token bucket. When the bucket is empty, it throws 429 with the
 * seconds until the next call passes.
 */
export function createBuckets(
  rates: Rates,
  clock: () => number = () => performance.now(),
): (ctx: Pick<Ctx, 'actor' | 'address'>, isAgentSignIn?: boolean) => void {
  const buckets = new Map<string, TokenBucket>();
  return (ctx, isAgentSignIn = false) => {
    const { kind, key } = callerOf(ctx, isAgentSignIn);
    const name = `${kind} ${key}`;
    const now = clock();
    let bucket = buckets.get(name);
    if (!bucket) {
      if (buckets.size >= maxBuckets) forgetFull(buckets, now);
      bucket = { left: rates[kind].burst, at: now, rate: rates[kind] };
      buckets.set(name, bucket);
    }
    const { rate } = bucket;
    bucket.left = Math.min(rate.burst, bucket.left + ((now - bucket.at) / 1_000) * rate.perSecond);
    bucket.at = now;
    if (bucket.left < 1) throw tooManyAtOnce(kind, rate, (1 - bucket.left) / rate.perSecond);
    bucket.left -= 1;
  };
}

/** Deletes full buckets: a new bucket is full too. */
function forgetFull(buckets: Map<string, TokenBucket>, now: number): void {
  for (const [name, { left, at, rate }] of buckets) if (left + ((now - at) / 1_000) * rate.perSecond >= rate.burst) buckets.delete(name);
}

const listsAtOnce = 4;
/** Maximum number of lists that wait, per caller: programs send more requests at once than a page. */
const listsWaiting = { person: 32, token: 256, device: 32 };

interface Slots {
  running: number;
  waiting: (() => void)[];
}

/**
 * Returns a function that runs `work` when fewer than four lists of this caller run. Further lists wait; when too many
 * wait, the answer is 429. So a page that requests six lists at once gets all of them, and no caller occupies all
 * connections.
 */
export function createListSlots(): <T>(ctx: Ctx, work: () => Promise<T>) => Promise<T> {
  const byCaller = new Map<string, Slots>();
  return async (ctx, work) => {
    const { kind, id } = ctx.actor;
    if (kind === 'system') return work();
    let slots = byCaller.get(id);
    if (!slots) byCaller.set(id, (slots = { running: 0, waiting: [] }));
    if (slots.running >= listsAtOnce) {
      const { waiting } = slots;
      if (waiting.length >= listsWaiting[kind])
        throw tooManyRequests(`Too many requests at once: ${listsAtOnce} lists run and ${listsWaiting[kind]} wait. Please try again.`, 1);
      // A list that ends passes its slot to the next one.
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else slots.running += 1;
    try {
      return await work();
    } finally {
      const next = slots.waiting.shift();
      if (next) next();
      else if (--slots.running === 0) byCaller.delete(id);
    }
  };
}

interface NamedLimit {
  within: '1 hour' | '1 minute';
  /** Maximum number of calls of one network or one caller. */
  each: { per: 'network' | 'caller'; max: number };
  /** Maximum number of calls of all callers together. */
  overall?: number;
}

const named: Record<LimitName, NamedLimit> = {
  'access-request': { within: '1 hour', each: { per: 'network', max: 5 }, overall: 100 },
  // Fast enough for a person who types, too slow for copying the directory (security, section 2).
  'people-lookup': { within: '1 minute', each: { per: 'caller', max: 30 } },
  // Sixty screens of one network that read four times a minute.
  wall: { within: '1 minute', each: { per: 'network', max: 240 } },
};

// One statement per count: the row is locked, so two servers never exceed the limit.
const count = `insert into call_limit as l (limit_key, calls) values ($1, array[now()])
  on conflict (limit_key) do update set last_call = now(),
    calls = array(select t from unnest(l.calls) t where t > now() - $3::interval) || now()::timestamptz(3)
  where (select count(*) from unnest(l.calls) t where t > now() - $3::interval) < $2
  returning 1`;

/** Counts a call under this key, on all servers together; false when there were too many in the period. */
export async function countUp(db: Db, key: string, max: number, within: NamedLimit['within']): Promise<boolean> {
  const counted = await db.query({ text: count, values: [createHash('sha256').update(key).digest(), max, within] });
  return counted.length > 0;
}

/** Counts a call against a named limit, on all servers together; throws 429 when there were too many in its period. */
export async function countCall(ctx: Ctx, limit: LimitName): Promise<void> {
  const { within, each, overall } = named[limit];
  const who = each.per === 'network' ? networkOf(ctx.address) : `${ctx.actor.kind} ${ctx.actor.id}`;
  const counts: [string, number][] = [
    [`${limit} ${who}`, each.max],
    ...(overall === undefined ? [] : [[limit, overall] as [string, number]]),
  ];
  for (const [key, max] of counts) {
    if (!(await countUp(ctx.db, key, max, within)))
      throw tooManyRequests(
        `Too many requests: ${max} within ${within} are possible. Please try again later.`,
        within === '1 hour' ? 600 : 20,
        { name: limit, calls: max, seconds: within === '1 hour' ? 3_600 : 60 },
      );
  }
}
