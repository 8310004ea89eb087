/** Begins, moves and stops the end of a customer. */
import { beginOffboarding, moveOffboarding, stopOffboarding } from '@cloudfit/contract/customers/calls.ts';
import { longestNoticeDays } from '@cloudfit/contract/customers/steps.ts';
import { ApiError, validationFailed } from '@cloudfit/contract/errors.ts';
import { allPermissions } from '@cloudfit/contract/permissions.ts';
import { actorName, inTransaction, requirePermission, type Ctx } from '../../../context/ctx.ts';
import type { FileStore } from '../../../platform/file-store.ts';
import { implement, type ImplementedAction } from '../../../resources/action.ts';
import { create } from '../../../resources/create.ts';
import { get } from '../../../resources/get.ts';
import { setFields } from '../../../resources/update.ts';
import { servedTenants } from '../tenants.served.ts';
import { endAccess } from './end-access.ts';
import { servedOffboardings } from './offboardings.served.ts';
import { openAgain, removeArchive } from './steps.ts';

const dayMs = 86_400_000;

/** The time of the deletion: not in the past, so that nobody deletes by a slip of the keyboard. */
function timeOf(ctx: Ctx, deleteOn: string): string {
  const at = Date.parse(deleteOn);
  const now = ctx.now().getTime();
  if (at <= now) throw validationFailed([{ target: 'deleteOn', message: 'The deletion is in the past. Choose a later time.' }]);
  if (at > now + longestNoticeDays * dayMs)
    throw validationFailed([{ target: 'deleteOn', message: `The deletion is at most ${longestNoticeDays} days ahead.` }]);
  return new Date(at).toISOString();
}

/** The caller as the one who ends a customer: which rights the single steps would need besides is no question to them. */
const acting = (ctx: Ctx): Ctx => ({ ...ctx, permissions: new Map([['*', new Set(allPermissions)]]) });

/** Ends customers of the whole installation, so the right in one tenant is not enough. */
const mayEnd = (ctx: Ctx): void => requirePermission(ctx, 'Tenants', 'delete', null);

const begin = implement(beginOffboarding, (outside, { id, name, deleteOn, reason, uninstallAgents }) => {
  mayEnd(outside);
  return inTransaction(outside, async (ctx) => {
    const tenant = await get(ctx, servedTenants, id, { lock: 'edit' });
    if (name.trim().toLowerCase() !== tenant.name.trim().toLowerCase())
      throw validationFailed([{ target: 'name', message: `Please enter the name of the tenant to confirm: ${tenant.name}.` }]);
    const [other] = await ctx.db.query<{ left: number }>({
      text: 'select count(*) as left from tenant where tenant_id <> $1',
      values: [id],
    });
    if (!other || other.left === 0) throw new ApiError('Conflict', 'This is the only tenant. An installation needs one.');
    const [open] = await ctx.db.query({ text: "select 1 from offboarding where customer_id = $1 and state <> 'Stopped'", values: [id] });
    if (open) throw new ApiError('Conflict', `${tenant.name} is being offboarded already.`);
    const at = timeOf(ctx, deleteOn);
    const access = await endAccess(acting(ctx), id);
    const columns = {
      customer_id: id,
      customer_name: tenant.name,
      delete_on: at,
      reason,
      requested_by: actorName(ctx),
      uninstalls: uninstallAgents,
      steps: { access },
    };
    return create(acting(ctx), servedOffboardings, {}, { columns });
  });
});

const move = implement(moveOffboarding, (ctx, { id, deleteOn }) => {
  mayEnd(ctx);
  const at = timeOf(ctx, deleteOn);
  return setFields(acting(ctx), servedOffboardings, id, (now) => {
    requireOpen(now.state);
    return { deleteOn: at };
  });
});

function requireOpen(state: string): void {
  if (state === 'Running' || state === 'Waiting') return;
  throw new ApiError(
    'Conflict',
    state === 'Stopped' ? 'The offboarding was stopped already.' : 'The deletion has begun. It cannot be moved or stopped any more.',
  );
}

interface ActionStore {
  /** The mailboxes know the store of files, which has the archives too. */
  mailboxes: { store: FileStore };
}

const stop = (parts: ActionStore) =>
  implement(stopOffboarding, (outside, { id }) => {
    mayEnd(outside);
    return inTransaction(outside, async (ctx) => {
      const row = await setFields(acting(ctx), servedOffboardings, id, (now) => {
        requireOpen(now.state);
        return { state: 'Stopped' as const, ended: ctx.now().toISOString(), problem: null };
      });
      await openAgain(acting(ctx), row);
      await removeArchive(ctx.db, parts.mailboxes.store, id);
      return row;
    });
  });

export const offboardingActions = (parts: ActionStore): readonly ImplementedAction[] => [begin, move, stop(parts)];
