/** Sends mail through the operator's SMTP server, as text and as HTML. */
import type { Transporter } from 'nodemailer';
import { messageOf } from '@cloudfit/contract/errors.ts';
import { mailDestination } from '@cloudfit/contract/resources/destinations.ts';
import { htmlOf, plainTable } from './mail-html.ts';
import { callThroughBreaker, alwaysClosed, type CircuitBreaker } from './circuit-breaker.ts';

/** A file of a mail, as text. */
export interface MailAttachment {
  fileName: string;
  contentType: string;
  content: string;
}

export interface MailMessage {
  to: string;
  cc?: string | undefined;
  bcc?: string | undefined;
  subject: string;
  text: string;
  /** Rows behind the text, the first of them the names of the columns. */
  table?: readonly (readonly string[])[] | undefined;
  attachments?: readonly MailAttachment[] | undefined;
  important: boolean;
  /** The address that ends mails of this kind by one POST, for the unsubscribe button of mail programs. */
  unsubscribe?: string | undefined;
  /** Of a mail about a work unit: where answers go, and the Message-IDs of the mails before it; those of this server without their domain. */
  thread?: { replyTo: string; references: readonly string[]; isAnswer: boolean } | undefined;
  /** Determines the Message-ID, so that the receiver can recognise a repeated mail. */
  messageId: string;
  /** The tenant for whose circuit failures count; null for a mail of the installation, whose failures do not count. */
  owner: string | null;
  /** Runs right before the mail is sent, when the circuit breaker allows it; if it throws, nothing is sent. */
  begin?: () => Promise<void>;
  /** Gets the recipients that the server refused while it took the mail for others. If it refuses all, `send` throws. */
  onRefused?: (addresses: readonly string[]) => void;
}

/**
 * Returns the failure if the server is unreachable, closes (421) or refuses the login. A refusal of a recipient or a message is
 * a normal answer.
 */
function failureOf(error: unknown): string | undefined {
  const { code, responseCode } = error as { code?: string; responseCode?: number };
  if (responseCode !== undefined && responseCode !== 421 && code !== 'EAUTH') return undefined;
  return messageOf(error);
}

export interface Mail {
  /** Returns the server's answer; throws `OutboundFailed` or `OutboundRefused` when the circuit is open or disabled. */
  send(message: MailMessage): Promise<string>;
  close(): void;
}

/** What puts a mail into its thread. */
function threaded({ replyTo, references }: NonNullable<MailMessage['thread']>, domain: string) {
  const ids = references.map((id) => `<${id.includes('@') ? id : `${id}@${domain}`}>`);
  return { replyTo, ...(ids.length > 0 ? { references: ids, inReplyTo: ids.at(-1) ?? '' } : {}) };
}

/** Opens the mail client. `url` is an address such as `smtps://user:password@host:465`. */
export function openMail(options: { url: string; from: string; breaker?: CircuitBreaker }): Mail {
  // nodemailer is loaded at the first mail: installations without a mail server never need it.
  const load = async (): Promise<Transporter> =>
    (await import('nodemailer')).createTransport(
      {
        url: options.url,
        connectionTimeout: 10_000,
        greetingTimeout: 10_000,
        socketTimeout: 30_000,
        disableFileAccess: true,
        disableUrlAccess: true,
      },
      { from: options.from },
    );
  let loaded: Promise<Transporter> | undefined;
  const domain = options.from.match(/@([^>\s]+)/)?.[1] ?? 'localhost';
  return {
    send({ to, cc, bcc, subject, text, table = [], attachments = [], important, unsubscribe, messageId, thread, owner, begin, onRefused }) {
      let hasBegun = false;
      const isAutomatic = thread ? !thread.isAnswer : unsubscribe !== undefined || owner === null;
      const once = async () => {
        await begin?.();
        hasBegun = true;
        const sent = (await (
          await (loaded ??= load())
        ).sendMail({
          to,
          subject,
          text: table.length > 0 ? `${text}\n\n${plainTable(table)}` : text,
          html: htmlOf(text, table),
          attachments: attachments.map(({ fileName, contentType, content }) => ({ filename: fileName, contentType, content })),
          messageId: `<${messageId}@${domain}>`,
          priority: important ? 'high' : 'normal',
          headers: {
            ...(unsubscribe ? { 'List-Unsubscribe': `<${unsubscribe}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' } : {}),
            // So that no program answers (RFC 3834). Not for mails of actions, from which another program may make a ticket.
            ...(isAutomatic ? { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' } : {}),
          },
          ...(thread ? threaded(thread, domain) : {}),
          ...(cc ? { cc } : {}),
          ...(bcc ? { bcc } : {}),
        })) as { response?: string; rejected?: readonly (string | { address: string })[] };
        const refused = (sent.rejected ?? []).map((recipient) => (typeof recipient === 'string' ? recipient : recipient.address));
        if (refused.length > 0) onRefused?.(refused);
        return { answer: sent.response ?? '', failure: undefined };
      };
      const breaker = owner === null ? alwaysClosed : (options.breaker ?? alwaysClosed);
      return callThroughBreaker(breaker, { destination: mailDestination, owner: owner ?? '' }, once, (error) =>
        hasBegun ? failureOf(error) : undefined,
      );
    },
    close: () => void loaded?.then((transport) => transport.close()),
  };
}
