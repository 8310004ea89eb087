/** Judges a mail by its headers alone: whether a program wrote it, and what the checking mail server found. */
import type { MailReason } from '@cloudfit/contract/mail/mailboxes.ts';
import { oneLine } from '@cloudfit/contract/one-line.ts';
import type { ParsedMail } from './parse-mail.ts';

/** Why a mail is not taken in by itself. */
export interface MailRefusal {
  reason: MailReason;
  message: string;
}

const first = (mail: ParsedMail, name: string): string => (mail.header(name)[0] ?? '').trim();

const notices =
  /^(?:auto(?:matic)?[ -]?(?:reply|response|antwort)|automatische antwort|abwesenheits?(?:notiz|nachricht|assistent)?\b|out of (?:the )?office|réponse automatique)/i;

/**
 * Returns why a program, not a person, has written the mail (RFC 3834 and what programs do); undefined for others. With `orReports`, what
 * a program says by itself, as monitoring and cron do, is none of them; what it answers still is.
 */
export function automatic(mail: ParsedMail, orReports = false): MailRefusal | undefined {
  const { report } = mail;
  if (report) {
    const of = report.recipient === '' ? '' : ` to ${report.recipient}`;
    if (report.failed)
      return { reason: 'Bounce', message: `It says that a mail${of} was not delivered${report.reason ? `: ${report.reason}` : ''}.` };
    return { reason: 'AutoReply', message: `It reports about a mail${of} that was not refused.` };
  }
  const submitted = first(mail, 'auto-submitted')
    .replace(/[;(].*$/s, '')
    .trim()
    .toLowerCase();
  if (submitted !== '' && submitted !== 'no' && !(orReports && submitted === 'auto-generated'))
    return { reason: 'AutoReply', message: `A program has written it (Auto-Submitted: ${oneLine(submitted).slice(0, 60)}).` };
  const returnPath = mail.header('return-path')[0]?.trim();
  if (returnPath === '<>') return { reason: 'Bounce', message: 'It has no return address, as reports of mail servers have none.' };
  if (first(mail, 'x-autoreply') !== '' || first(mail, 'x-autorespond') !== '' || notices.test(mail.subject))
    return { reason: 'AutoReply', message: 'It is a notice of absence, or another answer of a program.' };
  const precedence = first(mail, 'precedence').toLowerCase();
  if (precedence === 'auto_reply') return { reason: 'AutoReply', message: 'A program has written it (Precedence: auto_reply).' };
  if (/^(?:bulk|junk|list)$/.test(precedence) && !(orReports && precedence === 'bulk'))
    return { reason: 'Bulk', message: `It was sent to many (Precedence: ${precedence}).` };
  if (first(mail, 'list-id') !== '')
    return { reason: 'Bulk', message: `It came by a mailing list (${oneLine(first(mail, 'list-id')).slice(0, 120)}).` };
  const suppress = first(mail, 'x-auto-response-suppress').toLowerCase();
  if (!orReports && /\b(?:all|autoreply|oof)\b/.test(suppress))
    return { reason: 'AutoReply', message: 'A program has written it, and asks for no answer (X-Auto-Response-Suppress).' };
  return undefined;
}

export interface SenderChecks {
  /** Such as `SPF pass, DKIM pass, DMARC fail`. */
  text: string;
  dmarcFailed: boolean;
}

const methods = ['spf', 'dkim', 'dmarc'] as const;
// Comments may nest nothing here: what a sender put into one must not be read as a result.
const comments = /\((?:[^()\\]|\\.)*\)/g;

/**
 * Reads Authentication-Results (RFC 8601) of the trusted server: the topmost header alone, because the server puts its own above those
 * that a sender may have written.
 */
export function checksOf(mail: ParsedMail, authservId: string | null): SenderChecks | undefined {
  if (authservId === null) return undefined;
  const trusted = mail
    .header('authentication-results')
    .map((value) => value.replaceAll(comments, ' ').split(';'))
    .find(([id = '']) => id.trim().split(/\s+/)[0]?.toLowerCase() === authservId.toLowerCase());
  if (!trusted) return undefined;
  const results = new Map<string, string>();
  for (const part of trusted.slice(1)) {
    const [, method = '', result = ''] = /^\s*([a-z0-9-]+)(?:\/\d+)?\s*=\s*([a-z]+)/i.exec(part) ?? [];
    const name = method.toLowerCase();
    // Of several signatures one that passes is enough.
    if (!results.has(name) || result.toLowerCase() === 'pass') results.set(name, result.toLowerCase());
  }
  const text = methods.map((name) => `${name.toUpperCase()} ${results.get(name) ?? 'none'}`).join(', ');
  return { text, dmarcFailed: results.get('dmarc') === 'fail' };
}
