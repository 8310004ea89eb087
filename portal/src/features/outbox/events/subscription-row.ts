import { eventSubscriptionTexts as t } from '@cloudfit/contract/messages/event-subscriptions.en.ts';
import type { eventSubscriptions } from '@cloudfit/contract/resources/event-subscriptions.ts';
import type { ExpandedRow } from '@cloudfit/contract/resources/expanded.ts';
import type { ServiceName } from '@cloudfit/contract/events/services.ts';
import type { Tone } from '../../../components/chips.tsx';

export type SubscriptionEntity = ExpandedRow<typeof eventSubscriptions, 'tenant' | 'tenantGroup'>;

/** A secret that was just made; nothing else ever shows it. */
export interface NewSecret {
  eventSubscriptionId: string;
  name: string;
  generatedSecret: string;
  service: ServiceName;
}

export function stateOf({ enabled, paused, failingSince, lastDelivered }: SubscriptionEntity): { text: string; tone: Tone } {
  if (paused) return { text: t.states.paused, tone: 'danger' };
  if (!enabled) return { text: t.states.off, tone: 'unknown' };
  if (failingSince) return { text: t.states.failing, tone: 'warn' };
  return lastDelivered ? { text: t.states.ok, tone: 'ok' } : { text: t.states.new, tone: 'info' };
}

/** Whose events it gets. */
export const placeOf = ({ tenantId, tenant, tenantGroup }: SubscriptionEntity): string =>
  tenantId === null ? (tenantGroup?.name ?? t.allTenants) : (tenant?.name ?? tenantId);
