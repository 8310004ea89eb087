/** Writes for which a feature has a function of its own, in place of the engine's. Each function takes a client's body. */
import { eventSubscriptions } from '@cloudfit/contract/resources/event-subscriptions.ts';
import { mailboxes } from '@cloudfit/contract/resources/mailboxes.ts';
import { sources } from '@cloudfit/contract/resources/sources.ts';
import { tokens } from '@cloudfit/contract/resources/tokens.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import type { Ctx } from '../context/ctx.ts';
import { createEventSubscription } from '../features/event-subscriptions/event-subscriptions.served.ts';
import { createMailbox } from '../features/mailboxes/mailboxes.served.ts';
import { createSource } from '../features/sources/sources.served.ts';
import { createToken } from '../features/tokens/tokens.served.ts';
import { editWorkUnits } from '../features/work-units/mass-edit.ts';
import type { AnyRow } from '../resources/served.ts';

type ByResource<T> = Readonly<Partial<Record<string, (ctx: Ctx, body: unknown) => Promise<T>>>>;

/** Creates that return the new row with a value that is shown only once. */
export const createsWithSecret: ByResource<AnyRow> = {
  [tokens.name]: createToken,
  [sources.name]: createSource,
  [mailboxes.name]: createMailbox,
  [eventSubscriptions.name]: createEventSubscription,
};

/** Bulk edits; each returns the changed rows. */
export const bulkEditsOf: ByResource<AnyRow[]> = { [workUnits.name]: editWorkUnits };
