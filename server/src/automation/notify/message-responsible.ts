/** Tells those who are responsible for a tenant by browser and phone that no mail arrives. */
import { nearest, responsiblePeople } from '../../auth/administrators.ts';
import { localeOf } from '../../context/locale.ts';
import type { Db } from '../../db/db.ts';
import { actionOf, addressesOf, channelsOfPeople, channelWords, plainParameters } from '../../executions/channel-addresses.ts';
import { writeExecutions, type NewExecution } from '../../executions/executions.ts';
import { readerOf } from '../../platform/language.ts';
import { mailTextsFor, type MailTexts } from '../../platform/mail-texts.ts';
import { uuidV5 } from '../../platform/uuid-v5.ts';

interface MessageToResponsible {
  tenantId: string;
  /** What it is about: the ids of the messages are derived from it. */
  causeId: string;
  write: (texts: MailTexts) => { subject: string; text: string };
}

/** Queues the messages in the transaction of the caller; returns the names of their recipients. */
export async function messageResponsible(db: Db, { tenantId, causeId, write }: MessageToResponsible): Promise<string[]> {
  const people = await responsiblePeople(db, tenantId);
  const rows = await channelsOfPeople(
    db,
    tenantId,
    people.map(({ id }) => id),
  );
  const all: (NewExecution & { name: string; rank: number })[] = [];
  for (const { id, name, rank } of people) {
    const row = rows.get(id);
    const { subject: title, text } = write(mailTextsFor(readerOf(await localeOf(db, id))));
    for (const channel of ['Push', 'Sms'] as const)
      for (const target of row ? addressesOf(row)[channel] : [])
        all.push({
          name,
          rank,
          tenantId,
          actionDefinitionId: actionOf({ channel }, target),
          messageId: uuidV5(causeId, `${id}:${channel}:${target.pushSubscriptionId ?? ''}`),
          correlationId: causeId,
          referenceId: null,
          parameters: {
            ...plainParameters({ channel }, target.address, { title, text }),
            ...(target.pushSubscriptionId ? { PushSubscriptionId: target.pushSubscriptionId } : {}),
          },
          suppressed: false,
          detail: { label: `${channelWords[channel]} to ${name} (the mail server fails)`, personId: id },
        });
  }
  const messages = nearest(all);
  await writeExecutions(
    db,
    messages.map(({ name: _name, rank: _rank, ...message }) => message),
  );
  return [...new Set(messages.map(({ name }) => name))];
}
