/** Runs the built-in email action: by SMTP, or into the outbox where no server is set. */
import type { Db } from '../db/connection.ts';
import type { Mail } from '../outbound/mail.ts';
import type { Execution } from './action-context.ts';
import { ActionFailure, type ActionResult } from './action-result.ts';
import { isTemplate, matchTemplates, unitTemplates } from './email-templates.ts';
import { deliver } from './deliver.ts';
import { newFiller, type Filler, type PlaceholderValues } from './placeholders.ts';

const longest = 100_000;

function textOf(value: unknown): string | undefined {
  return value === undefined || value === null || value === '' ? undefined : String(value);
}

function filled(filler: Filler, value: unknown): string | undefined {
  const text = textOf(value);
  return text === undefined ? undefined : filler.text(text);
}

/** `key=value` pairs, one per line or separated by semicolons. */
function extraParameters(text: string | undefined): PlaceholderValues {
  const pairs = (text ?? '')
    .split(/[\n;]/)
    .map((pair) => [pair.slice(0, pair.indexOf('=')).trim(), pair.slice(pair.indexOf('=') + 1).trim()] as const);
  return Object.fromEntries(pairs.filter(([name, value]) => name !== '' && name !== value));
}

export interface Composed {
  to: string;
  cc: string | undefined;
  bcc: string | undefined;
  subject: string;
  text: string;
  important: boolean;
  unknown: readonly string[];
}

/** What a mail is made from; a preview has no execution. */
export type MailCause = Pick<Execution, 'parameters' | 'tenant' | 'values' | 'workUnitId'>;

/** The mail as it would be sent. */
export function composeEmail(execution: MailCause): Composed {
  const { parameters, tenant } = execution;
  const to = textOf(parameters['To']) ?? textOf(tenant.email);
  if (!to) throw new ActionFailure('The mail has no recipient, and its tenant has no address for notifications.');
  const name = textOf(parameters['Template']) ?? 'Simple';
  if (!isTemplate(name)) throw new ActionFailure(`There is no mail template ${name}.`);
  const template = (execution.workUnitId === undefined ? matchTemplates : unitTemplates)[name];
  const filler = newFiller({ ...execution.values, ...extraParameters(textOf(parameters['ExtraParameters'])) });
  const own = textOf(parameters['Body']);
  const text = [own, template.body].filter(Boolean).join('\n\n');
  return {
    to: filler.text(to),
    cc: filled(filler, parameters['Cc']),
    bcc: filled(filler, parameters['Bcc']),
    subject: filler
      .text(textOf(parameters['Subject']) ?? template.subject)
      .replaceAll(/[\r\n]+/g, ' ')
      .slice(0, 500),
    text: filler.text(text).slice(0, longest),
    important: parameters['IsImportant'] === true || parameters['IsImportant'] === 'true',
    unknown: [...filler.unknown],
  };
}

/** Without `mail` the message waits in the outbox, and the result says so. */
export async function sendEmail(db: Db, mail: Mail | undefined, execution: Execution): Promise<ActionResult> {
  const { unknown, ...message } = composeEmail(execution);
  const noted = unknown.length > 0 ? { unknownPlaceholders: unknown } : {};
  const recipients = [message.to, message.cc, message.bcc].filter(Boolean).join(', ');
  const started = performance.now();
  const answer = await deliver(db, mail, { ...message, messageId: execution.messageId }, execution);
  if (answer === undefined)
    return { succeeded: true, detail: { recipients, reason: 'No mail server is set; the message is kept in the outbox.', ...noted } };
  return {
    succeeded: true,
    detail: { recipients, answer: answer.slice(0, 4_096), durationMs: Math.round(performance.now() - started), ...noted },
  };
}
