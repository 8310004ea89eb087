/** Why a channel would not reach a person now: without an address, without a sender, or because the receiver fails. */
import { channels, type PersonChannel } from '@cloudfit/contract/on-call/preferences.ts';
import { mailDestination } from '@cloudfit/contract/resources/destinations.ts';
import type { Db } from '../../../db/db.ts';
import { addressesOf, type PersonChannelsRow } from '../../../executions/channel-addresses.ts';

const missing: Record<PersonChannel, string> = {
  Push: 'No browser gets push messages.',
  Sms: 'No phone number is set.',
  Mail: 'The person has no email address.',
};
const noSmsAction = 'No action of the tenant sends SMS. An administrator switches on "Sends SMS to people" for one.';
const noMailServer = 'No mail server is set: mails wait in the outbox and reach nobody. An administrator sets SMTP_URL and MAIL_FROM.';
const notVerified = 'The address is not confirmed, so nobody knows whether mail arrives there. Send a test.';
const disabled = 'Calls to the receiver have failed for a day and are disabled. An administrator allows them again under Outbox.';
const failing = 'The last message could not be handed over: the receiver fails or does not answer. It is tried again.';

/** Returns why the person has no address of a channel; null if there is one. */
export function addressProblem(channel: PersonChannel, person: PersonChannelsRow): string | null {
  if (addressesOf(person)[channel].length > 0) return null;
  return channel === 'Sms' && person.phone ? noSmsAction : missing[channel];
}

interface FailingChannel {
  channel: PersonChannel;
  isDisabled: boolean;
}

/** The channels all of whose receivers fail. A destination is a row only while its last call failed. */
const failingText = `select 'Mail' as channel, d.disabled is not null as "isDisabled" from destination d where d.tenant_id = $2 and d.origin = $3
union all
select 'Sms', d.disabled is not null from action_definition a join destination d on d.tenant_id = $2 and d.origin = lower(substring(a.endpoint_url from '^[^:]+://[^/?#]+'))
where a.action_definition_id = $4
union all
select 'Push', bool_and(d.disabled is not null) from push_subscription s
left join destination d on d.tenant_id = $2 and d.origin = lower(substring(s.endpoint from '^[^:]+://[^/?#]+'))
where s.person_id = $1 having bool_and(d.destination_id is not null)`;

export interface ChannelParts {
  mailServerIsSet: boolean;
}

export interface ChannelDelivery {
  channel: PersonChannel;
  problem: string | null;
  /** Whether there is an address for a test. */
  hasAddress: boolean;
}

/** Returns for each channel why it would not reach the person now. */
export async function channelStates(
  db: Db,
  tenantId: string | undefined,
  person: PersonChannelsRow,
  { mailServerIsSet }: ChannelParts,
): Promise<ChannelDelivery[]> {
  const fails = new Map<PersonChannel, string>();
  if (tenantId !== undefined) {
    const rows = await db.query<FailingChannel>({
      name: 'reach-failing',
      text: failingText,
      values: [person.person_id, tenantId, mailDestination, person.sms_action_id],
    });
    for (const { channel, isDisabled } of rows) fails.set(channel, isDisabled ? disabled : failing);
  }
  const senderProblem = (channel: PersonChannel): string | null => {
    if (channel === 'Mail' && !mailServerIsSet) return noMailServer;
    return fails.get(channel) ?? (channel === 'Mail' && !person.email_verified ? notVerified : null);
  };
  return channels.map((channel) => {
    const withoutAddress = addressProblem(channel, person);
    return { channel, problem: withoutAddress ?? senderProblem(channel), hasAddress: withoutAddress === null };
  });
}
