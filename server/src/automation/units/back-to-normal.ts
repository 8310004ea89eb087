/** Notifies the people who were notified of a match, or of its work unit, that the match has ended. */
import { builtInAction, builtInActionTypes, resultStatus } from '@cloudfit/contract/enums.ts';
import type { Locale } from '@cloudfit/contract/messages/language.ts';
import { writeExecutions, type NewExecution } from '../../executions/executions.ts';
import { plainParameters } from '../../executions/channel-addresses.ts';
import { readerOf } from '../../platform/language.ts';
import { mailTextsFor } from '../../platform/mail-texts.ts';
import { uuidV5 } from '../../platform/uuid-v5.ts';
import type { QueuedExecution } from '../execution.ts';
import { ActionFailure, type ActionResult } from '../action-result.ts';
import type { Try } from '../tries.ts';
import { isOn, leftAlone, lockUnit } from './unit-of-match.ts';

interface NotifiedRow {
  /** The channel of a message to one person or to the customer. */
  channel: 'Mail' | 'Push' | 'SMS' | null;
  person_id: string | null;
  address: string | null;
  locale: Locale | null;
  message_id: string;
  action_definition_id: string;
  input_parameters: string;
}

// The messages since the last all-clear: mails and calls of the matches of the unit and of its protocol, and messages to people
// by their channels. A mail that waits for a mail server counts, because it will be sent; so does a message of the match that is
// tried again, because its all-clear waits for it.
const messagesSent = `with matches as (
  select rule_match_id, created from rule_match where rule_match_id = $1
  union
  select m.rule_match_id, m.created from rule_match m
  where m.rule_id = $3 and m.subject_id = $4 and m.work_unit_id = $2
  union
  select m.rule_match_id, m.created from match_group g join rule_match m on m.rule_match_id = g.lead_match_id where g.work_unit_id = $2 and g.tenant_id = $5
), before as (
  select max(h.action_processed) as at from action_history h join matches m on h.reference_id = m.rule_match_id::text
  where h.action_definition_id = '${builtInAction.backToNormal}' and h.result_status_id = ${resultStatus.success}
)
select h.message_id, h.action_definition_id, h.input_parameters, n.channel, n.person_id, n.address, p.locale
from action_history h join action_definition d using (action_definition_id)
left join notification n on n.message_id = h.message_id and n.work_unit_id = $2
left join person p on p.person_id = n.person_id, before
where (h.result_status_id = ${resultStatus.success} or h.kept_since is not null or h.result_status_id = ${resultStatus.enqueueSuccess} and h.reference_id = $1::text)
  and h.tenant_id = $5
  and (h.action_definition_id = '${builtInAction.email}' or n.notification_id is not null or $6 and d.action_definition_type_id not in (${builtInActionTypes.join(', ')}))
  and (h.reference_id in (select rule_match_id::text from matches) and h.result_detail ->> 'phase' = 'match'
    or n.notification_id is not null or h.work_unit_id = $2 and h.result_detail ->> 'event' in ('OnNew', 'OnAcknowledged', 'OnTimer', 'OnChange', 'OnInProgress', 'OnHold'))
  and (before.at is null or coalesce(h.kept_since, h.action_processed) > before.at)
order by h.action_history_id`;

type SentParameters = NewExecution['parameters'];

const recipients = ['To', 'Cc', 'Bcc', 'ExtraParameters', 'IsImportant'] as const;

/** The parameters of the mail to the same recipients that says that the fault is over. */
function allClear(parameters: SentParameters, body: unknown): SentParameters {
  const same = Object.fromEntries(recipients.flatMap((name) => (parameters[name] === undefined ? [] : [[name, parameters[name]]])));
  return { ...same, Template: 'AllClear', ...(typeof body === 'string' && body !== '' ? { Body: body } : {}) };
}

/** The parameters of the all-clear to the same phone or browser of a person. */
function allClearBy({ channel, address, locale }: NotifiedRow, original: SentParameters, label: string): SentParameters {
  const { allClear: texts } = mailTextsFor(readerOf(locale));
  const content = { title: texts.title(label), text: texts.text };
  if (channel === 'SMS') return plainParameters({ channel: 'Sms' }, address ?? '', content);
  return { ...plainParameters({ channel: 'Push' }, '', content), PushSubscriptionId: original['PushSubscriptionId'] ?? '' };
}

/** Queues an all-clear for each different message and call; a repeated job adds nothing. */
export async function notifyBackToNormal(execution: QueuedExecution, attempt: Try): Promise<ActionResult> {
  const { match, tenantId, messageId, parameters } = execution;
  if (!match) throw new ActionFailure('Only a rule can run this action: it reports that its match has ended.');
  return attempt.inOne({ target: 'Everybody who was notified of the match' }, async (db) => {
    const unit = await lockUnit(db, execution);
    const rows = unit?.isFaultOpen
      ? []
      : await db.query<NotifiedRow>({
          name: 'told-of-match',
          text: messagesSent,
          values: [match.ruleMatchId, unit?.workUnitId ?? null, match.ruleId, match.subjectId, tenantId, isOn(parameters['Calls'])],
        });
    const messages = new Map<string, NewExecution>();
    for (const row of rows) {
      const original = JSON.parse(row.input_parameters) as SentParameters;
      const isMail = row.action_definition_id === builtInAction.email;
      const sent = isMail ? allClear(original, parameters['Body']) : row.channel ? allClearBy(row, original, match.label) : original;
      // Mails to the same recipients, and other messages and calls with the same parameters, get one all-clear.
      const key = JSON.stringify([row.action_definition_id, isMail ? [sent['To'] ?? '', sent['Cc'] ?? '', sent['Bcc'] ?? ''] : original]);
      messages.set(key, {
        tenantId,
        actionDefinitionId: row.action_definition_id,
        messageId: uuidV5(messageId, `told:${row.message_id}`),
        correlationId: execution.correlationId,
        referenceId: match.ruleMatchId,
        parameters: sent,
        suppressed: false,
        detail: {
          phase: 'expiration',
          backToNormal: true,
          ...(row.channel && !isMail ? { personId: row.person_id } : {}),
          ...(execution.hops > 0 ? { hops: execution.hops } : {}),
        },
      });
    }
    await writeExecutions(db, [...messages.values()]);
    const nobody = unit?.isFaultOpen ? leftAlone('stillMatching', unit) : leftAlone('nobodyTold', unit);
    return messages.size === 0 ? nobody : { succeeded: true, detail: { messages: messages.size } };
  });
}
