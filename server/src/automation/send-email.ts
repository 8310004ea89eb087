/** Runs the built-in email action: sends by SMTP, or stores the mail in the outbox if no server is configured. */
import { builtInAction } from '@cloudfit/contract/enums.ts';
import { extraParameters, placeholderPattern } from '@cloudfit/contract/rules/placeholders.ts';
import { startOf } from '@cloudfit/contract/one-line.ts';
import { messageOf } from '@cloudfit/contract/errors.ts';
import { withoutAckLinks } from '../platform/ack-links.ts';
import { mailTextsFor } from '../platform/mail-texts.ts';
import { uuidV5 } from '../platform/uuid-v5.ts';
import type { TenantSecrets } from '../auth/tenant-secrets.ts';
import type { Db } from '../db/db.ts';
import { writeExecutions } from '../executions/executions.ts';
import { NotDue, NotTried, PermanentFailure } from '../jobs/job.ts';
import type { Mail } from '../outbound/mail.ts';
import type { QueuedExecution } from './execution.ts';
import { valuesFor } from './reader-values.ts';
import { spoken } from './unit-values.ts';
import { ActionFailure, type ActionResult, type KeptMail } from './action-result.ts';
import { isTemplate, matchTemplates, unitTemplates } from './email-templates.ts';
import { deliver } from './deliver.ts';
import { newFiller, type Filler, type PlaceholderValues } from './placeholders.ts';
import { notesOf, requireFilled } from './previews/unfilled.ts';
import { ExecutionEnded, type Try } from './tries.ts';
import { secretsOfTexts } from './secret-values.ts';

const longest = 100_000;

function textOf(value: unknown): string | undefined {
  return value === undefined || value === null || value === '' ? undefined : String(value);
}

function filled(filler: Filler, value: unknown): string | undefined {
  const text = textOf(value);
  return text === undefined ? undefined : filler.text(text);
}

export interface ComposedMail {
  to: string;
  cc: string | undefined;
  bcc: string | undefined;
  subject: string;
  text: string;
  important: boolean;
  unknown: readonly string[];
  /** The known placeholders that had neither a value nor a default. */
  empty: readonly string[];
}

/** The data of a mail; a preview has no execution. */
export type MailCause = Pick<QueuedExecution, 'parameters' | 'tenant' | 'values' | 'workUnitId' | 'reader'>;

/** Parameters whose text may contain secrets. */
const texts = ['To', 'Cc', 'Bcc', 'Subject', 'Body'] as const;

const placeholder = new RegExp(placeholderPattern, 'g');

/** Removes the lines of a template whose placeholders all lack a value, and from other lines the placeholders that do. */
function withoutEmpty(template: string, values: PlaceholderValues): string {
  const isEmpty = (name = ''): boolean => (values[name] ?? '') === '';
  return template
    .split('\n')
    .filter((line) => {
      const names = [...line.matchAll(placeholder)];
      return names.length === 0 || names.some(([, name]) => !isEmpty(name));
    })
    .map((line) => {
      const text = line.replaceAll(placeholder, (whole, name: string) => (isEmpty(name) ? '' : whole));
      return text === line ? line : text.replace(/[:,\s]+$/, '');
    })
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n');
}

const maxRecipients = 100;

/** Checks the recipients after their placeholders were filled, because addresses may come from values. */
function requireRecipients(...lists: readonly (string | undefined)[]): void {
  if (lists.some((list) => /[\r\n]/.test(list ?? '')))
    throw new ActionFailure('The recipients of a mail cannot have a line break in them.');
  const count = lists.flatMap((list) => (list ?? '').split(/[,;]/)).filter((text) => text.trim() !== '').length;
  if (count > maxRecipients) throw new ActionFailure(`A mail has at most ${maxRecipients} recipients; this one has ${count}.`);
}

/** Composes the mail, with `secrets` for the placeholders of secrets. */
export function composeEmail(execution: MailCause, secrets: PlaceholderValues = {}): ComposedMail {
  const { parameters, tenant, reader } = execution;
  const to = textOf(parameters['To']) ?? textOf(tenant.email);
  if (!to) throw new ActionFailure('The mail has no recipient, and its tenant has no address for notifications.');
  const name = textOf(parameters['Template']) ?? 'Simple';
  if (!isTemplate(name)) throw new ActionFailure(`There is no mail template ${name}.`);
  const template = (execution.workUnitId === undefined ? matchTemplates : unitTemplates)(mailTextsFor(reader))[name];
  const more = { ...extraParameters(textOf(parameters['ExtraParameters']) ?? ''), ...secrets };
  const values = { ...spoken(valuesFor(reader, execution.values), parameters), ...more };
  const filler = newFiller(values);
  // Recipients are filled with sign-in names, which may be addresses, and not with display names.
  const addresses = newFiller({ ...execution.values, ...more });
  const bodyText = textOf(parameters['Body']);
  const text = [bodyText, withoutEmpty(template.body, values)].filter(Boolean).join('\n\n');
  const [recipient, cc, bcc] = [addresses.text(to), filled(addresses, parameters['Cc']), filled(addresses, parameters['Bcc'])];
  requireRecipients(recipient, cc, bcc);
  return {
    to: recipient,
    cc,
    bcc,
    subject: startOf(filler.text(textOf(parameters['Subject']) ?? withoutEmpty(template.subject, values)).replaceAll(/[\r\n]+/g, ' '), 500),
    text: startOf(filler.text(text), longest),
    important: parameters['IsImportant'] === true || parameters['IsImportant'] === 'true',
    unknown: [...new Set([...addresses.unknown, ...filler.unknown])],
    empty: [...new Set([...addresses.empty, ...filler.empty])],
  };
}

/** The egress of mails. */
export interface MailChannels {
  mail: Mail | undefined;
  secrets: TenantSecrets;
}

/** The address alone of a recipient that may have a name, as addresses are compared. */
export const keyOf = (address: string): string => (/<([^>]+)>/.exec(address)?.[1] ?? address).trim().toLowerCase();

/** Lets each of these recipients of a mail get it by an execution of its own, which has its own tries and outcome. */
export async function mailSeparately(db: Db, execution: QueuedExecution, recipients: readonly string[]): Promise<void> {
  const { messageId, tenantId, correlationId, match, workUnitId, phase, hops, ends, isReminder, endedUnitId, replayOf } = execution;
  await writeExecutions(
    db,
    recipients.map((address) => ({
      tenantId,
      actionDefinitionId: builtInAction.email,
      messageId: uuidV5(messageId, `to:${keyOf(address)}`),
      correlationId,
      referenceId: match?.ruleMatchId ?? null,
      parameters: { ...execution.parameters, To: address, Cc: null, Bcc: null },
      suppressed: false,
      // All that decides whether the mail is still sent, and whether people were notified of its unit already.
      detail: {
        phase,
        label: `Mail to ${address}`,
        ...(hops > 0 ? { hops } : {}),
        ...(ends ? { ends } : {}),
        ...(isReminder ? { reminder: true } : {}),
        ...(endedUnitId === undefined ? {} : { endedUnitId }),
        ...(replayOf === undefined ? {} : { replayOf }),
      },
      ...(workUnitId === undefined ? {} : { workUnitId }),
    })),
  );
}

const replyCode = /^[2-5]\d\d(?=[ -])/;

/**
 * Converts an error of sending: a permanent refusal becomes an `ActionFailure`; after any other error the mail may be retried.
 */
function refusal(error: unknown, mask: (text: string) => string, detail: Record<string, unknown>): Error {
  if (error instanceof NotTried || error instanceof NotDue || error instanceof ExecutionEnded) return error;
  if (error instanceof PermanentFailure) return new ActionFailure(error.message, detail);
  const text = mask(messageOf(error));
  const { code, responseCode = 0 } = error as { code?: string; responseCode?: number };
  return responseCode >= 500 && (code === 'EENVELOPE' || code === 'EMESSAGE') ? new ActionFailure(text, detail) : new Error(text);
}

/** Sends the mail; without `mail`, stores it in the outbox with masked secrets. */
export async function sendEmail(
  db: Db,
  { mail, secrets }: MailChannels,
  execution: QueuedExecution,
  attempt: Try,
): Promise<ActionResult | KeptMail> {
  const named = texts.map((name) => textOf(execution.parameters[name]) ?? '');
  const secretTexts = await secretsOfTexts(secrets, db, execution, named);
  const composed = composeEmail(execution, secretTexts.shown);
  if (execution.isTest) requireFilled([...composed.unknown, ...composed.empty]);
  const shown = { ...composed, subject: withoutAckLinks(composed.subject), text: withoutAckLinks(composed.text) };
  const { unknown, empty, ...message } = mail ? composeEmail(execution, secretTexts.values) : shown;
  const noted = notesOf(execution, { unknown, empty });
  const recipients = [shown.to, shown.cc, shown.bcc].filter(Boolean).join(', ');
  const started = performance.now();
  let refused: readonly string[] = [];
  const onRefused = (addresses: readonly string[]) => (refused = addresses);
  try {
    const begin = () => attempt.begin({ target: recipients, sent: `${shown.subject}\n\n${shown.text}` }, secretTexts.recordUse);
    const { tenantId, correlationId, messageId } = execution;
    const owner = { tenantId, correlationId, aboutUnit: execution.isTest ? null : (execution.workUnitId ?? execution.match?.workUnitId) };
    const answer = await deliver(db, mail, { ...message, messageId, begin, onRefused }, owner, attempt);
    if (answer === undefined) return { isKept: true, detail: { recipients, reason: 'Kept, not sent: no mail server is set.', ...noted } };
    attempt.status = Number(replyCode.exec(answer)?.[0]) || undefined;
    if (refused.length > 0 && execution.isTest)
      throw new ActionFailure(`The mail server refused ${refused.join(', ')}, and took the mail for the others.`);
    // Whom the server refused has not got what the others have: for good, or until it is tried again.
    await mailSeparately(db, execution, refused);
    return {
      succeeded: true,
      detail: {
        recipients,
        ...(refused.length > 0 ? { later: refused.join(', ') } : {}),
        answer: secretTexts.mask(startOf(answer, 4_096)),
        durationMs: Math.round(performance.now() - started),
        ...noted,
      },
    };
  } catch (error) {
    attempt.status = (error as { responseCode?: number }).responseCode;
    throw refusal(error, (text) => secretTexts.mask(text), { recipients, ...noted });
  }
}
