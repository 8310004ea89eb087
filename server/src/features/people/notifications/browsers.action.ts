/** Browsers of people that get push messages: each subscribes itself; they are listed and can be removed. */
import { createPublicKey } from 'node:crypto';
import { endOwnPushSubscription, endPushSubscriptionOfPerson, subscribeBrowser } from '@cloudfit/contract/on-call/preferences.calls.ts';
import { ApiError, notFound } from '@cloudfit/contract/errors.ts';
import { recordAboutPerson } from '../../../auth/audit-entry.ts';
import { endSubscription } from '../../../auth/push/subscriptions.ts';
import { actorName, inTransaction, type Ctx } from '../../../context/ctx.ts';
import { implement, type ImplementedAction } from '../../../resources/action.ts';
import { personToEdit } from '../person-to-edit.ts';
import { ownId } from './preferences.action.ts';

const maxBrowsers = 20;

const fieldError = (target: string, message: string): ApiError => new ApiError('ValidationFailed', message, { target });

/** Whether the text is a point of the curve P-256 in base64url, as RFC 8291 requires. */
function isPublicKey(text: string): boolean {
  const point = Buffer.from(text, 'base64url');
  if (point.length !== 65 || point[0] !== 4) return false;
  try {
    createPublicKey({
      key: { kty: 'EC', crv: 'P-256', x: point.subarray(1, 33).toString('base64url'), y: point.subarray(33).toString('base64url') },
      format: 'jwk',
    });
    return true;
  } catch {
    return false;
  }
}

/** Throws if the installation refuses to call this address, which comes from a caller. */
function requireEndpoint(ctx: Ctx, endpoint: string): void {
  const refused = ctx.refusedCall?.(endpoint);
  if (refused !== undefined) throw fieldError('endpoint', `The push service of the browser cannot be called: ${refused}`);
}

const subscribe = implement(subscribeBrowser, (outside, { endpoint, keys, browser }) =>
  inTransaction(outside, async (ctx) => {
    const personId = ownId(ctx);
    requireEndpoint(ctx, endpoint);
    if (!isPublicKey(keys.p256dh)) throw fieldError('keys.p256dh', 'keys.p256dh is a public key of the curve P-256 in base64url.');
    if (Buffer.from(keys.auth, 'base64url').length !== 16) throw fieldError('keys.auth', 'keys.auth is a secret of 16 bytes in base64url.');
    await ctx.db.query({ text: 'select 1 from person where person_id = $1 for no key update', values: [personId] });
    const [others] = await ctx.db.query<{ count: number }>({
      text: 'select count(*)::int as count from push_subscription where person_id = $1 and endpoint <> $2',
      values: [personId, endpoint],
    });
    if ((others?.count ?? 0) >= maxBrowsers)
      throw new ApiError('Conflict', `At most ${maxBrowsers} browsers get push messages. End one that you do not use any more.`);
    const [stored] = await ctx.db.query<{ push_subscription_id: string }>({
      name: 'push-subscribe',
      text: `insert into push_subscription (person_id, endpoint, p256dh, auth, browser, session_id) values ($1, $2, $3, $4, $5, $6)
on conflict (endpoint) do update set person_id = excluded.person_id, p256dh = excluded.p256dh, auth = excluded.auth, browser = excluded.browser,
  session_id = excluded.session_id, created = now(), last_sent = null
returning push_subscription_id`,
      values: [personId, endpoint, keys.p256dh, keys.auth, browser, ctx.session ?? null],
    });
    if (!stored) throw new Error('The subscription was not stored.');
    await recordAboutPerson(ctx.db, personId, {
      actor: { ...ctx.actor, name: actorName(ctx) },
      verb: 'create',
      entity: 'pushSubscriptions',
      entityId: stored.push_subscription_id,
      after: { personId, browser, pushService: new URL(endpoint).origin },
      correlationId: ctx.correlationId,
      address: ctx.address,
    });
    return { pushSubscriptionId: stored.push_subscription_id };
  }),
);

async function end(ctx: Ctx, personId: string, subscriptionId: string): Promise<void> {
  const because = {
    actor: { ...ctx.actor, name: actorName(ctx) },
    why: ctx.actor.id === personId ? 'The person ended it.' : 'An administrator ended it.',
    correlationId: ctx.correlationId,
    address: ctx.address,
  };
  if (!(await endSubscription(ctx.db, personId, subscriptionId, because))) throw notFound('Push Subscription');
}

const endOwn = implement(endOwnPushSubscription, (outside, { subscriptionId }) =>
  inTransaction(outside, (ctx) => end(ctx, ownId(ctx), subscriptionId)),
);

const endOf = implement(endPushSubscriptionOfPerson, (outside, { id, subscriptionId }) =>
  inTransaction(outside, async (ctx) => end(ctx, await personToEdit(ctx, id), subscriptionId)),
);

export const browserActions: readonly ImplementedAction[] = [subscribe, endOwn, endOf];
