/** Mails those who are responsible when something has stopped working, because what has stopped tells nobody itself. */
import { recordAudit } from '../../auth/audit-entry.ts';
import type { Db } from '../../db/db.ts';
import { faults, type StandingFault } from '../../features/installation/faults.ts';
import type { Periodic } from '../../jobs/schedule.ts';
import type { MailTexts } from '../../platform/mail-texts.ts';
import { eachApart } from '../../jobs/each-apart.ts';
import { uuidV5 } from '../../platform/uuid-v5.ts';
import { uuidV7 } from '../../platform/uuid-v7.ts';
import { mailResponsible } from './mail-responsible.ts';
import { messageResponsible } from './message-responsible.ts';

/** Of the others, a mail goes out when they are paused or disabled. */
type ToldKind = keyof MailTexts['fault']['subject'];
const places = {
  mailbox: 'mailboxes',
  mails: 'mailboxes',
  source: 'sources',
  rule: 'rules',
  eventsGivenUp: 'outbox?of=events',
  report: 'reports',
  failing: 'outbox',
  mail: 'outbox',
  undelivered: 'activity',
  untold: 'workunitsv2',
  left: 'workunitsv2',
  jobs: 'installation',
  campaign: 'campaigns',
  storage: 'installation',
  archive: 'installation',
} as const satisfies Record<ToldKind, string>;
const isTold = (kind: string): kind is ToldKind => Object.hasOwn(places, kind);

// What goes on is told once, and what comes again and again once a day. The audit says when, and to whom.
const before = `select 1 from audit where entity = $1 and entity_id = $2 and verb = 'notify' and actor_kind = 'system' and after ->> 'kind' = $4
  and at >= least($3::timestamptz, now() - interval '1 day') limit 1`;

function tell(db: Db, { kind, tenantId, entity, entityId, name, problem, since, count }: StandingFault, publicUrl: string): Promise<void> {
  return db.transaction(async (tx) => {
    if (!isTold(kind)) return;
    const earlier = await tx.query({ name: 'fault-told', text: before, values: [entity, entityId, since, kind] });
    if (earlier.length > 0) return;
    const causeId = uuidV7();
    const link = tenantId === null ? publicUrl : `${publicUrl}/${tenantId}/${places[kind]}`;
    const write = ({ fault }: MailTexts) => ({
      subject: fault.subject[kind](name, count),
      text: fault.text[kind](name, problem, link, count),
    });
    // That no mail arrives is told by another way.
    const recipients =
      kind === 'mail' && tenantId !== null
        ? await messageResponsible(tx, { tenantId, causeId, write })
        : await mailResponsible(tx, { tenantId, causeId: uuidV5(causeId, entityId), write });
    await recordAudit(tx, {
      actor: { kind: 'system', id: null, name: 'Automation' },
      verb: 'notify',
      entity,
      entityId,
      tenantId,
      after: { kind, problem, recipients: recipients.join(', ') },
      correlationId: causeId,
    });
  });
}

/** Tells what has stopped working and was not told yet. */
export async function tellFaults(db: Db, publicUrl: string): Promise<void> {
  const stopped: StandingFault[] = await db.query({ name: 'faults', text: faults, values: [null, true] });
  await eachApart(stopped, (fault) => tell(db, fault, publicUrl));
}

/** Several processes do not tell at the same time: one of them does the work of a moment. */
export const faultsWork = (publicUrl: string): Periodic => ({
  name: 'tell-faults',
  everyMs: 60_000,
  run: (db) => tellFaults(db, publicUrl),
});
