/**
 * The steps by which a customer ends. Each can be done again: what it has done before stays done, so a server that is killed in the middle
 * of one goes on with it.
 */
import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { archiveHours, listedMachines, type OffboardingFigures } from '@cloudfit/contract/customers/steps.ts';
import { messageOf } from '@cloudfit/contract/errors.ts';
import { devices } from '@cloudfit/contract/resources/devices.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { tenants } from '@cloudfit/contract/resources/tenants.ts';
import { recordAudit, recordChange } from '../../../auth/audit-entry.ts';
import { grantsOfPerson } from '../../../auth/grants.ts';
import { invalidatePeople, invalidateTokens } from '../../../auth/invalidate.ts';
import type { MasterKey } from '../../../auth/master-key.ts';
import { systemCtx } from '../../../auth/system-ctx.ts';
import { keepOpenOrders, orderUninstalls } from '../../../auth/agents/uninstall-orders.ts';
import { inTransaction, type Ctx } from '../../../context/ctx.ts';
import { openDatabase, type Database } from '../../../db/connection.ts';
import type { Db } from '../../../db/db.ts';
import { notify } from '../../../db/notify.ts';
import { countTenantRows, deleteTenantRows, forgetTenantMonths, tenantFiles, tenantTables } from '../../../db/tenant-rows.ts';
import type { Periodic } from '../../../jobs/schedule.ts';
import type { FileStore } from '../../../platform/file-store.ts';
import { get } from '../../../resources/get.ts';
import { servedOf } from '../../../resources/served.ts';
import { setFields } from '../../../resources/update.ts';
import { discardArchive, writeArchive } from './archive.ts';
import { servedOffboardings } from './offboardings.served.ts';

type EndingCustomer = Row<typeof servedOffboardings.resource>;

export interface OffboardingParts {
  store: FileStore;
  /** The folder of files that are being written, on the disk of the store. */
  incoming: string;
  masterKey: MasterKey;
  /** The database with its own limits for statements: they read and delete whole tables. */
  url: string;
}

/** Sets fields while the offboarding is in one of these states; undefined if it has gone on, or was stopped. */
async function advance(
  ctx: Ctx,
  { offboardingId }: EndingCustomer,
  from: readonly EndingCustomer['state'][],
  edit: (now: EndingCustomer) => Partial<EndingCustomer>,
): Promise<EndingCustomer | undefined> {
  let isCurrent = false;
  const row = await setFields(ctx, servedOffboardings, offboardingId, (now) => {
    isCurrent = from.includes(now.state);
    return isCurrent ? edit(now) : {};
  });
  return isCurrent ? row : undefined;
}

const withFigures = (now: EndingCustomer, figures: OffboardingFigures, more: Partial<EndingCustomer> = {}): Partial<EndingCustomer> => ({
  steps: { ...now.steps, ...figures },
  problem: null,
  ...more,
});

/** The machines that this offboarding has cut off have its own time, so that a stop admits no other. */
const cutOffOf = ({ created }: EndingCustomer): string => created;

async function cutOffMachines(ctx: Ctx, offboarding: EndingCustomer): Promise<void> {
  const machines = await ctx.db.query<{ id: string; name: string; isIn: boolean }>({
    text: 'select device_id as id, name, cut_off_on is null as "isIn" from device where tenant_id = $1 and not is_deleted order by name, device_id',
    values: [offboarding.customerId],
  });
  const { deleteOn, offboardingId, uninstalls } = offboarding;
  const at = ctx.now().toISOString();
  const ordered = new Set<string>();
  // In one transaction with each device, so that none is ordered to uninstall its agent and let in.
  await inTransaction(ctx, async (ctx) => {
    const inOrder = machines.map(({ id }) => id);
    if (uninstalls) for (const id of await orderUninstalls(ctx, inOrder, { offboardingId, from: deleteOn })) ordered.add(id);
    for (const { id, isIn } of machines)
      if (isIn || ordered.has(id))
        await setFields(ctx, servedOf(devices), id, {
          ...(isIn ? { cutOffOn: cutOffOf(offboarding) } : {}),
          ...(ordered.has(id) ? { uninstallOn: at, uninstalledOn: null } : {}),
        });
    const names = machines.slice(0, listedMachines).map(({ name }) => name);
    const waiting = machines.filter(({ id }) => ordered.has(id)).slice(0, listedMachines);
    const figures = {
      machines: {
        at,
        count: machines.length,
        names,
        ...(uninstalls ? { ordered: ordered.size, uninstalled: 0, waiting: waiting.map(({ name }) => name) } : {}),
      },
    };
    await advance(ctx, offboarding, ['Running'], (now) => withFigures(now, figures));
  });
  await invalidateTokens(ctx.db);
}

/**
 * Lets in again what `endAccess` and `cutOffMachines` have closed, in the transaction that stops the offboarding. What was closed before
 * stays closed. A machine that has uninstalled its agent says so until an agent registers again.
 */
export async function openAgain(ctx: Ctx, offboarding: EndingCustomer): Promise<void> {
  const machines = await ctx.db.query<{ id: string; isCutOff: boolean; isOrdered: boolean }>({
    text: `select d.device_id as id, d.cut_off_on is not distinct from $2 as "isCutOff", o.device_id is not null as "isOrdered" from device d
      left join uninstall_order o on o.device_id = d.device_id and o.offboarding_id = $3 and o.reported_on is null
      where d.tenant_id = $1 and (d.cut_off_on = $2 or o.device_id is not null)`,
    values: [offboarding.customerId, cutOffOf(offboarding), offboarding.offboardingId],
  });
  for (const { id, isCutOff, isOrdered } of machines)
    await setFields(ctx, servedOf(devices), id, { ...(isCutOff ? { cutOffOn: null } : {}), ...(isOrdered ? { uninstallOn: null } : {}) });
  await ctx.db.query({
    name: 'offboarding-orders',
    text: 'delete from uninstall_order where offboarding_id = $1 and reported_on is null',
    values: [offboarding.offboardingId],
  });
  await setFields(ctx, servedOf(tenants), offboarding.customerId, { enabled: offboarding.steps.access?.wasEnabled !== false });
  await invalidateTokens(ctx.db);
}

async function archive(ctx: Ctx, db: Db, offboarding: EndingCustomer, { store, incoming }: OffboardingParts): Promise<void> {
  const name = randomBytes(24).toString('hex');
  const path = join(incoming, name);
  try {
    // What began to write before the offboarding has this row, and ends first, so that the archive has it too.
    await db.transaction((tx) =>
      tx.query({ text: 'select from tenant where tenant_id = $1 for update', values: [offboarding.customerId] }),
    );
    const contents = await writeArchive(db, store, { id: offboarding.customerId, name: offboarding.customerName }, path);
    await store.keep(name, path, { size: contents.bytes, sha256: contents.sha256 });
    const isNamed = await inTransaction(ctx, async (ctx) => {
      const at = ctx.now();
      const figures = { archive: { at: at.toISOString(), ...contents } };
      const earliest = new Date(at.getTime() + archiveHours * 3_600_000).toISOString();
      const row = await advance(ctx, offboarding, ['Running'], (now) =>
        withFigures(now, figures, { state: 'Waiting', deleteOn: now.deleteOn < earliest ? earliest : now.deleteOn }),
      );
      if (row)
        await ctx.db.query({
          text: 'update offboarding set archive_name = $2 where offboarding_id = $1',
          values: [offboarding.offboardingId, name],
        });
      return row !== undefined;
    });
    if (!isNamed) await store.remove(name);
  } finally {
    await discardArchive(path);
  }
}

const archiveName = 'select archive_name as name from offboarding where offboarding_id = $1 and archive_name is not null';

/** Removes the archive from the store. */
export async function removeArchive(db: Db, store: FileStore, offboardingId: string): Promise<void> {
  const [row] = await db.query<{ name: string }>({ text: archiveName, values: [offboardingId] });
  if (!row) return;
  await store.remove(row.name);
  await db.query({ text: 'update offboarding set archive_name = null where offboarding_id = $1', values: [offboardingId] });
}

const sum = (tables: Readonly<Record<string, number>>): number => Object.values(tables).reduce((all, n) => all + n, 0);

const onlyThere = `from person p where exists (select from access_grant g where g.tenant_id = $1 and ${grantsOfPerson})
  and not exists (select from access_grant g where ${grantsOfPerson} and g.tenant_id is distinct from $1)`;

/** Accounts with rights only there can do nothing any more, and nobody looks after them. */
async function disablePeople(ctx: Ctx, tenantId: string): Promise<void> {
  const people = await ctx.db.query<{ id: string }>({
    text: `update person set enabled = false, modified = now(), version = version + 1 where enabled and person_id in (select p.person_id ${onlyThere}) returning person_id as id`,
    values: [tenantId],
  });
  for (const { id } of people)
    await recordChange(ctx.db, {
      actor: { kind: 'system', id: null, name: ctx.actor.name },
      tenantId: null,
      verb: 'update',
      entity: 'people',
      entityId: id,
      before: { enabled: true },
      after: { enabled: false },
      correlationId: ctx.correlationId,
    });
}

/** Counts what will be deleted. From here on nothing stops it. */
async function beginDeletion(ctx: Ctx, db: Db, offboarding: EndingCustomer): Promise<EndingCustomer | undefined> {
  const { tables, files } = await db.transaction(async (tx) => {
    await tx.query({ text: "set local statement_timeout = '1h'" });
    const all = await tenantTables(tx);
    return {
      tables: await countTenantRows(tx, all, offboarding.customerId),
      files: (await tenantFiles(tx, all, offboarding.customerId)).length,
    };
  });
  return inTransaction(ctx, async (ctx) => {
    const row = await advance(ctx, offboarding, ['Waiting'], (now) => {
      if (Date.parse(now.deleteOn) > ctx.now().getTime()) return {};
      const { archive: written } = now.steps;
      const proof = {
        customerId: now.customerId,
        customerName: now.customerName,
        reason: now.reason,
        requestedBy: now.requestedBy,
        requestedOn: now.created,
        deleteOn: now.deleteOn,
        archive: written
          ? { at: written.at, rows: written.rows, files: written.files, bytes: written.bytes, sha256: written.sha256 }
          : null,
        machines: now.steps.machines?.count ?? 0,
        agentsUninstalled: now.steps.machines?.uninstalled ?? 0,
        agentsNotReached: (now.steps.machines?.ordered ?? 0) - (now.steps.machines?.uninstalled ?? 0),
        deletionBegun: ctx.now().toISOString(),
        rows: sum(tables),
        files,
        tables,
      };
      return { state: 'Deleting' as const, proof, problem: null };
    });
    if (row?.state === 'Deleting') {
      await disablePeople(ctx, offboarding.customerId);
      await keepOpenOrders(ctx, offboarding.customerId);
    }
    return row;
  });
}

const rowsAtOnce = 50_000;

const maxRounds = 20;

/**
 * Deletes every row, the tenant itself last. What is deleted is counted and noted by triggers, which write rows of the tenant, and work that
 * began before may do so too: so all tables are looked at again until they are empty.
 */
async function deleteRows(db: Db, { customerId }: EndingCustomer, store: FileStore): Promise<void> {
  const tables = await tenantTables(db);
  const ofTenant = tables.filter(({ name }) => name !== 'tenant');
  const patient = <T>(work: (tx: Db) => Promise<T>): Promise<T> =>
    db.transaction(async (tx) => {
      await tx.query({ text: "set local statement_timeout = '1h'" });
      return work(tx);
    });
  for (let round = 0; ; round++) {
    // Files first: without their rows nobody knows them. The sweep of orphans has what a killed server leaves.
    for (const name of await patient((tx) => tenantFiles(tx, tables, customerId))) await store.remove(name);
    await db.query({
      text: 'update person set context_tenant_id = null, context_subscription_id = null where context_tenant_id = $1',
      values: [customerId],
    });
    for (const table of ofTenant) while ((await patient((tx) => deleteTenantRows(tx, table, customerId, rowsAtOnce))) > 0);
    const left = Object.keys(await patient((tx) => countTenantRows(tx, ofTenant, customerId)));
    if (left.length === 0) break;
    if (round >= maxRounds) throw new Error(`Rows of the tenant come back in ${left.join(', ')}.`);
  }
  await forgetTenantMonths(db, customerId);
  await db.query({ text: 'delete from tenant where tenant_id = $1', values: [customerId] });
}

/** The keys of this proof in one order, so that its digest can be computed again. */
export function proofText(proof: unknown): string {
  const ordered = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(ordered)
      : typeof value === 'object' && value !== null
        ? Object.fromEntries(
            Object.entries(value)
              .toSorted(([a], [b]) => (a < b ? -1 : 1))
              .map(([name, part]) => [name, ordered(part)]),
          )
        : value;
  return JSON.stringify(ordered(proof));
}

export const proofDigest = (proof: unknown): string => createHash('sha256').update(proofText(proof)).digest('hex');

export const proofPurpose = 'proof of deletion';

async function finishDeletion(ctx: Ctx, offboarding: EndingCustomer, masterKey: MasterKey): Promise<void> {
  const { customerId, customerName } = offboarding;
  const at = ctx.now().toISOString();
  const proof = { ...offboarding.proof, deletionEnded: at, rowsLeft: 0 };
  const digest = proofDigest(proof);
  const [signature = ''] = masterKey.signatures(digest, proofPurpose);
  const counts = proof as unknown as { rows: number; files: number; tables: Record<string, number> };
  await inTransaction(ctx, async (ctx) => {
    const figures = { deletion: { at, rows: counts.rows, files: counts.files, tables: counts.tables } };
    // The names of machines were data of the customer.
    const edit = (now: EndingCustomer): Partial<EndingCustomer> => {
      const { machines } = now.steps;
      return withFigures(
        now,
        { ...figures, ...(machines ? { machines: { ...machines, names: [], ...(machines.waiting ? { waiting: [] } : {}) } } : {}) },
        {
          state: 'Deleted',
          proof,
          proofDigest: digest,
          proofSignature: signature,
          ended: at,
        },
      );
    };
    if (!(await advance(ctx, offboarding, ['Deleting'], edit))) return;
    await ctx.db.query({
      text: `with left_over as (update tenant_group set tenant_ids = tenant_ids - $1::text, modified = now(), version = version + 1 where tenant_ids ? $1::text returning tenant_group_id)
        insert into change (tenant_id, verb, entity, entity_id, correlation_id) select null, 'update', 'tenantGroups', tenant_group_id::text, $2::uuid from left_over`,
      values: [customerId, ctx.correlationId],
    });
    await ctx.db.query({
      text: "insert into change (tenant_id, verb, entity, entity_id, correlation_id) values (null, 'delete', 'tenants', $1, $2)",
      values: [customerId, ctx.correlationId],
    });
    await recordAudit(ctx.db, {
      actor: { kind: 'system', id: null, name: ctx.actor.name },
      tenantId: null,
      verb: 'delete',
      entity: 'tenants',
      entityId: customerId,
      before: { tenantId: customerId, name: customerName },
      after: { proof, proofDigest: digest, proofSignature: signature },
      correlationId: ctx.correlationId,
    });
    await invalidatePeople(ctx.db);
    for (const channel of ['devices', 'rules', 'maintenance', 'status-pages', 'publishers', 'jobs', 'calls'] as const)
      await notify(ctx.db, channel);
  });
}

async function deleteCustomer(ctx: Ctx, db: Db, offboarding: EndingCustomer, { store, masterKey }: OffboardingParts): Promise<void> {
  await removeArchive(ctx.db, store, offboarding.offboardingId);
  await deleteRows(db, offboarding, store);
  await finishDeletion(ctx, offboarding, masterKey);
}

/** Does what is to do of one offboarding, step after step. */
export async function continueOffboarding(ctx: Ctx, long: Database, id: string, parts: OffboardingParts): Promise<void> {
  const read = (): Promise<EndingCustomer> => get(ctx, servedOffboardings, id);
  const db = long.scoped('all');
  let offboarding = await read();
  if (offboarding.state === 'Running' && !offboarding.steps.machines) {
    await cutOffMachines(ctx, offboarding);
    offboarding = await read();
  }
  if (offboarding.state === 'Running' && !offboarding.steps.archive) {
    await archive(ctx, db, offboarding, parts);
    offboarding = await read();
  }
  if (offboarding.state === 'Waiting' && Date.parse(offboarding.deleteOn) <= ctx.now().getTime())
    offboarding = (await beginDeletion(ctx, db, offboarding)) ?? offboarding;
  if (offboarding.state === 'Deleting') await deleteCustomer(ctx, db, offboarding, parts);
}

const due = `select offboarding_id as id from offboarding where state in ('Running', 'Deleting') or state = 'Waiting' and delete_on <= now() order by created`;

/** Goes on with every offboarding; what fails in one is written to it, and tried again. */
export function offboardingWork(database: Database, log: Logger, parts: OffboardingParts): Periodic {
  return {
    name: 'offboarding',
    everyMs: 5_000,
    run: async (db) => {
      const rows = await db.query<{ id: string }>({ text: due });
      if (rows.length === 0) return;
      const long = openDatabase({
        url: parts.url,
        max: 2,
        name: 'cloudfit offboarding',
        onError: (error) => log.warn({ err: error }, 'A connection of an offboarding was lost.'),
      });
      try {
        for (const { id } of rows) {
          const ctx = systemCtx({ database, log, name: 'Offboarding' });
          try {
            await continueOffboarding(ctx, long, id, parts);
          } catch (error) {
            log.error({ err: error, offboardingId: id }, 'A step of an offboarding failed, and is tried again.');
            const problem = messageOf(error).slice(0, 500);
            await setFields(ctx, servedOffboardings, id, (now) => (now.problem === problem ? {} : { problem }));
          }
        }
      } finally {
        await long.close();
      }
    },
  };
}
