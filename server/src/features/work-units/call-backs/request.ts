/** Puts a call back into the queue. */
import { minuteMs } from '@cloudfit/contract/durations.ts';
import type { Ctx } from '../../../context/ctx.ts';
import { create } from '../../../resources/create.ts';
import { servedCallBacks } from './call-backs.served.ts';

/** Within this time a call is promised. */
export const promiseMs = 15 * minuteMs;

interface NewCallBack {
  tenantId: string;
  workUnitId: number;
  phone: string | null;
  requestedBy: string;
  /** Whether those on call are told at once; otherwise when the time is over. */
  tellsAtOnce: boolean;
}

/** Returns false, and adds nothing, if a call back of the unit is open. Its caller has checked that `ctx` may ask for it. */
export async function requestCallBack(ctx: Ctx, { tellsAtOnce, ...callBack }: NewCallBack): Promise<boolean> {
  const now = ctx.now();
  const due = new Date(now.getTime() + promiseMs).toISOString();
  const fields = { ...callBack, created: now.toISOString(), due, toldTimes: 0 };
  const columns = { look_at: tellsAtOnce ? fields.created : due };
  const row = await create(ctx, { ...servedCallBacks, fill: () => fields }, {}, { columns, unlessExists: true });
  return row !== undefined;
}
