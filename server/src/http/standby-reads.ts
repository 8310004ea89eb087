/** Which calls read from the standby, and how a caller still sees what the caller has written. */
import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify';
import { isList, type Action } from '@cloudfit/contract/action.ts';
import { matchingNow, matchingOfTenants } from '@cloudfit/contract/actions/backtest.ts';
import { blockHistory, blockLogEntries } from '@cloudfit/contract/actions/blocks.ts';
import { campaignChoices } from '@cloudfit/contract/actions/devices.ts';
import { explainDraft, explainEntity, explainMatch, explainRule } from '@cloudfit/contract/actions/explain.ts';
import {
  leftOperandLookup,
  locationLookup,
  peopleAndGroupsLookup,
  peopleLookup,
  subscriptionLookup,
  tenantLookup,
} from '@cloudfit/contract/actions/lookups.ts';
import { listMetrics, listOutages, packetHistory, readSeries } from '@cloudfit/contract/actions/series/series.ts';
import { versionsOverTime } from '@cloudfit/contract/actions/series/versions.ts';
import { categoryLookup, subcategoryLookup } from '@cloudfit/contract/actions/work-units/lookups.ts';
import { searchPlaces } from '@cloudfit/contract/actions/work-units/search.ts';
import { openOverTime, workUnitHistory } from '@cloudfit/contract/actions/work-units/work-units.ts';
import { ruleNoiseReport } from '@cloudfit/contract/noise/calls.ts';
import { onCallLoad, workUnitReport } from '@cloudfit/contract/reports/calls.ts';
import { isRead } from '../auth/see-as.ts';
import type { Ctx } from '../context/ctx.ts';
import type { Database } from '../db/connection.ts';
import type { Db } from '../db/db.ts';
import { isWrite, readerOf } from '../db/standby/reader.ts';
import type { RecentWriters } from '../db/standby/writers.ts';
import { callerOfBatch } from './batch/caller.ts';

/**
 * Calls that read much of what may be some seconds old. Left out are those about what runs in the primary, such as sessions and processes, and
 * those of one row.
 */
const declared: readonly Pick<Action, 'name'>[] = [
  readSeries,
  listMetrics,
  listOutages,
  packetHistory,
  blockHistory,
  blockLogEntries,
  versionsOverTime,
  openOverTime,
  workUnitHistory,
  searchPlaces,
  categoryLookup,
  subcategoryLookup,
  campaignChoices,
  tenantLookup,
  subscriptionLookup,
  locationLookup,
  leftOperandLookup,
  peopleLookup,
  peopleAndGroupsLookup,
  explainMatch,
  explainRule,
  explainDraft,
  explainEntity,
  matchingNow,
  matchingOfTenants,
  workUnitReport,
  ruleNoiseReport,
  onCallLoad,
];
const names = new Set(declared.map(({ name }) => name));

/** Whether a call may read from the standby. */
export const readsStandby = (action: Action): boolean => isList(action) || names.has(action.name);

/** A part of `ApiParts`: what routes do with a standby. */
export interface StandbyReads {
  /** The last step of the calls that only read: their reads go to the standby. */
  elsewhere: onRequestHookHandler;
  /** The same for a call that finds out only later that it reads. */
  readsOf(ctx: Ctx): Ctx;
}

const callerOf = ({ actor }: Ctx): string => `${actor.kind} ${actor.id}`;

/** Agents read what they are to do at once, and each would be a row among the writers. */
const isFollowed = ({ actor }: Ctx): boolean => actor.kind === 'person' || actor.kind === 'token';

/** Without a standby, everything is read from the primary. */
export function standbyReads({ standby }: Database, writers: RecentWriters | undefined): StandbyReads {
  const readsOf = (ctx: Ctx): Ctx => {
    if (!standby || !writers || !isFollowed(ctx) || callerOfBatch()) return ctx;
    const primary = ctx.db;
    const position = () => writers.position(primary, callerOf(ctx));
    return { ...ctx, db: readerOf({ primary, standby, scope: ctx.tenants, position }) };
  };
  return {
    readsOf,
    elsewhere: (request, _reply, done) => {
      request.ctx = readsOf(request.ctx);
      done();
    },
  };
}

/** The requests that read by their method, and write nevertheless, as an export does into the audit. */
const written = new WeakSet<FastifyRequest>();

function noting(db: Db, note: () => void): Db {
  const noted =
    <A, T>(run: (argument: A) => T) =>
    (argument: A): T => {
      note();
      return run(argument);
    };
  return {
    query: (statement) => {
      if (isWrite(statement)) note();
      return db.query(statement);
    },
    last: noted(db.last) as Db['last'],
    defer: noted(db.defer),
    transaction: noted(db.transaction) as Db['transaction'],
  };
}

/** Returns the step after which it is noticed whether a request writes. */
export const noticesWrites: onRequestHookHandler = (request, _reply, done) => {
  const { ctx, method, routeOptions } = request;
  if (isRead(method, routeOptions.config.reads === true)) request.ctx = { ...ctx, db: noting(ctx.db, () => written.add(request)) };
  done();
};

/** Notes who has written before the answer is sent, whatever becomes of the request. */
export function noteWriters(app: FastifyInstance, writers: RecentWriters): void {
  app.addHook('onSend', async (request) => {
    const { method, routeOptions } = request;
    const ctx = (request as { ctx?: Ctx }).ctx;
    if (!ctx || ctx.seer || !isFollowed(ctx)) return;
    if (isRead(method, routeOptions.config.reads === true) && !written.has(request)) return;
    await writers.note(callerOf(ctx));
  });
}
