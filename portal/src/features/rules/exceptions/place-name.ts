/** What an exception is for, in words: its kind, and the name of the row that it names. */
import { ruleExceptionTexts as t } from '@cloudfit/contract/messages/rule-exceptions.en.ts';
import type { ruleExceptions } from '@cloudfit/contract/resources/rule-exceptions.ts';
import type { ExpandedRow } from '@cloudfit/contract/resources/expanded.ts';

export const placeExpand = ['tenant', 'tenantGroup($select=name)', 'subscription', 'location', 'device', 'rule'] as const;

export type PlacedException = ExpandedRow<typeof ruleExceptions, (typeof placeExpand)[number]>;

export function placeName(row: PlacedException): string {
  const { appliesTo, tenant, tenantGroup, subscription, location, device, tag, entityName } = row;
  const of = {
    Device: device?.name,
    Name: entityName,
    Location: location?.name,
    Tag: tag,
    Subscription: subscription?.name,
    Tenant: tenant?.name,
    Group: tenantGroup?.name,
  }[appliesTo];
  const where = appliesTo === 'Tenant' || appliesTo === 'Group' ? undefined : (tenant?.name ?? tenantGroup?.name);
  return `${t.places[appliesTo]} ${of ?? ''}${where === undefined ? '' : `, ${where}`}`;
}
