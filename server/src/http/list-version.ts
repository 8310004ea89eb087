/**
 * The ETag of a list: its query, and the database snapshot of its answer. A poll with this ETag is answered by 304 if
 * no transaction outside of that snapshot changed an entity that the list reads. If that cannot be determined, the ETag
 * is a hash of the answer.
 */
import { createHash } from 'node:crypto';
import type { Ctx } from '../context/ctx.ts';
import type { ListPlan } from '../resources/list.ts';
import { entitiesRead } from '../resources/read-tables.ts';
import { opaqueTags } from '../resources/get.ts';

/** Maximum age of an ETag in seconds, far below the hour for which changes are stored (jobs/retention-rules.ts). */
const oldestSeconds = 600;
const longestSnapshot = 400;

const entitiesByPlan = new WeakMap<ListPlan, readonly string[] | null>();

function entitiesOf(plan: ListPlan): readonly string[] | null {
  let entities = entitiesByPlan.get(plan);
  if (entities === undefined) entitiesByPlan.set(plan, (entities = entitiesRead(plan.statement.text)));
  return entities;
}

function short(...parts: readonly (string | Buffer)[]): string {
  const hash = createHash('sha1');
  for (const part of parts) hash.update(part).update('\n');
  return hash.digest('base64url');
}

/**
 * Returns a hash of everything besides the rows that determines the answer: the statement (which contains the
 * permissions), the tenant scope and `form`.
 */
function question(ctx: Ctx, plan: ListPlan, form: string): string {
  const scope = ctx.tenants === 'all' ? 'all' : ctx.tenants.join(',');
  return short(plan.statement.text, JSON.stringify(plan.statement.values ?? []), scope, form);
}

/** Returns whether the text is a snapshot as `pg_current_snapshot()` prints it: `xmin:xmax:running,running`. */
function isSnapshot(text: string): boolean {
  const parts = /^(\d{1,19}):(\d{1,19}):((?:\d{1,19}(?:,\d{1,19})*)?)$/.exec(text);
  if (!parts) return false;
  const running = parts[3] ? parts[3].split(',').map(BigInt) : [];
  const [xmin, xmax] = [BigInt(parts[1] ?? 0), BigInt(parts[2] ?? 0)];
  return xmin > 0n && xmin <= xmax && running.every((xid, i) => xid >= (running[i - 1] ?? xmin - 1n) + 1n && xid < xmax);
}

/**
 * Returns the ETag in `ifNoneMatch` that is still valid, or undefined. `form` is what else determines the answer:
 * address and headers.
 */
export async function unchangedTag(ctx: Ctx, plan: ListPlan, form: string, ifNoneMatch: string): Promise<string | undefined> {
  const tags = opaqueTags(ifNoneMatch);
  const entities = tags === '*' ? null : entitiesOf(plan);
  if (tags === '*' || !entities) return undefined;
  const queryHash = question(ctx, plan, form);
  for (const tag of tags) {
    const [tagHash, snapshot = '', seconds = ''] = tag.split('/');
    const age = ctx.now().getTime() / 1_000 - Number.parseInt(seconds, 36);
    if (tagHash !== queryHash || !(age < oldestSeconds) || !isSnapshot(snapshot)) continue;
    const [row] = await ctx.db.query<{ changed: boolean }>({
      name: 'list-version',
      text: 'select changed_since($1::text[], $2::uuid[], $3::pg_snapshot) as changed',
      values: [entities, ctx.tenants === 'all' ? null : ctx.tenants, snapshot],
    });
    if (row && !row.changed) return `W/"${tag}"`;
  }
  return undefined;
}

/** Returns the ETag of a page that `plan` read; `body` is the whole answer. */
export function listTag(ctx: Ctx, plan: ListPlan, form: string, snapshot: string | undefined, body: Buffer): string {
  const bySnapshot = snapshot !== undefined && snapshot.length <= longestSnapshot && entitiesOf(plan) !== null;
  if (!bySnapshot) return `W/"${short(body)}"`;
  return `W/"${question(ctx, plan, form)}/${snapshot}/${Math.floor(ctx.now().getTime() / 1_000).toString(36)}"`;
}
