/** The addresses of people by channel, and the action that sends to each. */
import { builtInAction } from '@cloudfit/contract/enums.ts';
import { defaultPreferences, type PersonChannel, type NotificationPreferences } from '@cloudfit/contract/on-call/preferences.ts';
import type { Db } from '../db/db.ts';

/** An address at which a channel reaches a person; push has an address for each browser. */
export interface ChannelAddress {
  /** The email address or phone number; for push, the name of the browser. */
  address: string;
  pushSubscriptionId?: string;
  /** The action that sends an SMS to the address. */
  smsActionId?: string;
}

export interface PersonChannelsRow {
  person_id: string;
  email: string | null;
  email_verified: boolean;
  phone: string | null;
  time_zone: string | null;
  steps: NotificationPreferences['steps'] | null;
  quiet_hours: NotificationPreferences['quietHours'] | null;
  urgent: NotificationPreferences['urgent'] | null;
  browsers: { id: string; browser: string }[] | null;
  sms_action_id: string | null;
}

/** The SMS gateway of the tenant: its own, otherwise that of the installation. */
const smsAction = `(select a.action_definition_id from action_definition a where a.sends_sms and (a.tenant_id = $2 or a.tenant_id is null)
  order by a.tenant_id nulls last, a.created, a.action_definition_id limit 1)`;

/** Returns the channels and preferences of people, with the SMS gateway of the tenant. */
export async function channelsOfPeople(
  db: Db,
  tenantId: string | null,
  personIds: readonly string[],
): Promise<Map<string, PersonChannelsRow>> {
  const rows = await db.query<PersonChannelsRow>({
    name: 'notify-channels',
    text: `select p.person_id, p.email, p.email_verified, n.phone, n.time_zone, n.steps, n.quiet_hours, n.urgent, b.all as browsers, ${smsAction} as sms_action_id
from person p left join notification_preference n on n.person_id = p.person_id
left join lateral (
  select jsonb_agg(jsonb_build_object('id', s.push_subscription_id, 'browser', s.browser) order by s.created, s.push_subscription_id) as all
  from push_subscription s where s.person_id = p.person_id
) b on true where p.person_id = any($1::uuid[])`,
    values: [personIds, tenantId],
  });
  return new Map(rows.map((row) => [row.person_id, row]));
}

export function preferencesOf({ time_zone, steps, quiet_hours, urgent }: PersonChannelsRow): NotificationPreferences {
  if (time_zone === null) return defaultPreferences;
  return { timeZone: time_zone, steps: steps ?? [], quietHours: quiet_hours ?? [], urgent: urgent ?? [] };
}

/** Returns the addresses of a person by channel; a channel without an address does not reach the person. */
export function addressesOf({
  email,
  phone,
  browsers,
  sms_action_id,
}: PersonChannelsRow): Readonly<Record<PersonChannel, readonly ChannelAddress[]>> {
  return {
    Push: (browsers ?? []).map(({ id, browser }) => ({ address: browser, pushSubscriptionId: id })),
    Sms: phone && sms_action_id ? [{ address: phone, smsActionId: sms_action_id }] : [],
    Mail: email ? [{ address: email }] : [],
  };
}

export const channelWords = { Push: 'Push', Sms: 'SMS', Mail: 'Mail' } as const;

/** Returns the id of the action that sends by a channel. */
export const actionOf = ({ channel }: { channel: PersonChannel }, target: ChannelAddress): string =>
  channel === 'Mail' ? builtInAction.email : channel === 'Sms' ? (target.smsActionId ?? '') : builtInAction.notify;

/** The parameters with title and text of a mail that is not about a work unit. Placeholders in them are not filled. */
const plainTitle = 'PlainTitle';
export const plainText = 'PlainText';
export const isPlain = (parameter: string): boolean => parameter === plainTitle || parameter === plainText;

/** Stands in the text of a summary for the link that acknowledges a unit. */
export const ackPlace = (workUnitId: number): string => `{AckUrl.${workUnitId}}`;

/** Returns the parameters of a message that is not about a work unit. */
export function plainParameters(turn: { channel: PersonChannel }, address: string, { title, text }: { title: string; text: string }) {
  if (turn.channel === 'Sms')
    return {
      To: address,
      Severity: 'CloudFit',
      PublicWorkUnitId: '',
      Title: title,
      AckUrl: '',
      WorkUnitUrl: '',
      State: '',
      TenantName: '',
      Seen: '',
    };
  if (turn.channel === 'Mail')
    return { To: address, Template: 'None', Subject: `{${plainTitle}}`, Body: `{${plainText}}`, [plainTitle]: title, [plainText]: text };
  return { Subject: title, Body: text };
}
