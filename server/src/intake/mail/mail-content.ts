/** What a mail (RFC 5322, MIME) says, who sent it, and its files; as plain data, which a thread can hand over. */
import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import PostalMime, { type Attachment, type Email } from 'postal-mime';
import { normalText, oneLine, startOf } from '@cloudfit/contract/one-line.ts';
import { textOfHtml, tidyText } from './mail-text.ts';

/** A file of a mail. */
export interface MailFile {
  name: string;
  mimeType: string;
  content: Buffer;
}

export interface MailContent {
  /** Without angle brackets; undefined when it has none. */
  messageId: string | undefined;
  /** The ids of the mails that it answers, the nearest first. */
  references: readonly string[];
  /** In lower case; undefined unless it has exactly one author. */
  sender: string | undefined;
  senderName: string;
  /** Without characters that cannot be shown, as it was written: with `Re:`. */
  subject: string;
  text: string;
  /** Without signatures of S/MIME and PGP. */
  files: readonly MailFile[];
  /** All headers, with names in lower case, the topmost first. */
  headers: readonly { key: string; value: string }[];
  /** Of a report about a mail that was not delivered. */
  report: DeliveryReport | undefined;
  /** Identifies the mail: equal for a second delivery of it, different for another mail with the same Message-ID. */
  key: Buffer;
}

export interface DeliveryReport {
  /** Whether it failed for good. */
  failed: boolean;
  recipient: string;
  /** The status and what the server said. */
  reason: string;
  /** The Message-ID of the mail that was not delivered. */
  messageId: string | undefined;
}

const maxParts = 1_000;
const maxBoundaries = 10_000;
/** Twice as many as 25 MiB of base64 have. A line costs some 10 µs, however short it is. */
const maxLines = 600_000;
/** Of a text that is longer, people read the rest in the whole mail. */
const textLength = 100_000;
const bounds = { maxNestingDepth: 50, maxHeadersSize: 1_048_576, forceRfc822Attachments: true } as const;
const maxReferences = 50;
const idLength = 998;

/** Says why a mail cannot be read. */
export class UnreadableMail extends Error {}

/** The number of lines, counted to one more than `most`. */
export function linesOf(bytes: Buffer, max: number): number {
  let count = 0;
  for (let at = bytes.indexOf(10); at >= 0 && count <= max; at = bytes.indexOf(10, at + 1)) count += 1;
  return count;
}

/** A mail with very many lines, or lines that could separate parts, costs more to parse than it says. */
function requireFewLines(bytes: Buffer): void {
  if (linesOf(bytes, maxLines) > maxLines) throw new UnreadableMail(`It has more than ${maxLines} lines.`);
  let count = 0;
  for (let at = bytes.indexOf('\n--'); at >= 0; at = bytes.indexOf('\n--', at + 3)) {
    count += 1;
    if (count > maxBoundaries) throw new UnreadableMail(`It has more than ${maxBoundaries} lines that could separate parts.`);
  }
}

const idPattern = /<([^<>\s]+)>/g;
const idsOf = (text: string | undefined): string[] => [...(text ?? '').matchAll(idPattern)].map(([, id = '']) => id.slice(0, idLength));

const isSignature = ({ mimeType }: Attachment): boolean =>
  /^application\/(?:x-)?pkcs7-signature$|^application\/pgp-signature$/.test(mimeType);

const endings: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'application/pdf': 'pdf',
  'text/calendar': 'ics',
  'text/plain': 'txt',
  'text/html': 'html',
  'message/rfc822': 'eml',
};

/** The name without folders and without characters that are harmful in a link, a log or a header. */
function nameOf({ filename, mimeType }: Attachment, n: number): string {
  const last = oneLine(filename ?? '')
    .split(/[\\/]/)
    .at(-1);
  const name = (last ?? '').replaceAll(/[\p{Cc}"<>|:*?[\]()]/gu, '_').slice(-200);
  const ending = endings[mimeType];
  if (name === '') return `file-${n + 1}${ending ? `.${ending}` : '.bin'}`;
  return ending !== undefined && !/\.[A-Za-z0-9]{1,8}$/.test(name) ? `${name}.${ending}` : name;
}

function bytesOf(content: Attachment['content']): Buffer {
  if (typeof content === 'string') return Buffer.from(content);
  return content instanceof ArrayBuffer ? Buffer.from(content) : Buffer.from(content.buffer, content.byteOffset, content.byteLength);
}

const fieldOf = (text: string, name: string): string | undefined =>
  new RegExp(`^${name}:[ \\t]*(.*(?:\\r?\\n[ \\t].*)*)`, 'im').exec(text)?.[1]?.replaceAll(/\s+/g, ' ').trim();

/** Reads the report of a mail server (RFC 3464); undefined for other mails. */
function reportOf(attachments: readonly Attachment[], contentType: string): DeliveryReport | undefined {
  if (!/^\s*multipart\/report\b/i.test(contentType)) return undefined;
  const status = attachments.find(({ mimeType }) => mimeType === 'message/delivery-status');
  const original = attachments.find(({ mimeType }) => mimeType === 'message/rfc822' || mimeType === 'text/rfc822-headers');
  const text = status ? bytesOf(status.content).subarray(0, 65_536).toString() : '';
  const recipient = (fieldOf(text, 'Final-Recipient') ?? fieldOf(text, 'Original-Recipient') ?? '').replace(/^[^;]*;\s*/, '');
  const diagnostic = (fieldOf(text, 'Diagnostic-Code') ?? '').replace(/^[^;]*;\s*/, '');
  const headers = original ? bytesOf(original.content).subarray(0, 65_536).toString('latin1') : '';
  return {
    failed: /^failed$/i.test(fieldOf(text, 'Action') ?? ''),
    recipient: oneLine(recipient).slice(0, 320),
    reason: oneLine([fieldOf(text, 'Status'), diagnostic].filter(Boolean).join(' ')).slice(0, 500),
    messageId: idsOf(fieldOf(headers, 'Message-ID'))[0],
  };
}

/** The one author; undefined when there is none, or several: then nobody can be said to have written it. */
function senderOf(mail: Email): { name: string; address: string } | undefined {
  const froms = mail.headers.filter(({ key }) => key === 'from');
  const from = mail.from;
  if (froms.length !== 1 || from?.address === undefined || !/^[^\s@<>,;"]+@[^\s@<>,;"]+$/.test(from.address)) return undefined;
  // A second address in the same header is left out by the parser.
  const rest = (froms[0]?.value ?? '').replaceAll(/"(?:[^"\\]|\\.)*"|\([^()]*\)/g, '');
  if ((rest.match(/<[^>]*@/g) ?? []).length > 1 || (rest.includes(',') && (rest.match(/@/g) ?? []).length > 1)) return undefined;
  return { name: from.name, address: from.address.toLowerCase() };
}

/** Whether the bytes are UTF-8; the last character may be cut, because of a large mail the beginning is read. */
const isText = (bytes: Buffer): boolean => [0, 1, 2, 3].some((cut) => isUtf8(bytes.subarray(0, bytes.length - cut)));

/** The bytes in UTF-8: those that are not are read as Windows-1252, which old devices write without saying so. */
const inUtf8 = (bytes: Buffer): Buffer => (isText(bytes) ? bytes : Buffer.from(new TextDecoder('windows-1252').decode(bytes)));

/** A content type that says by itself how the body is written. */
const declared = /^content-type:(?:[^\n]|\n[ \t])*?(?:charset|multipart\/|message\/)/im;

/** What is read as UTF-8, because it says nothing of how it is written: the headers, and a body whose headers name no character set. */
function withoutForeignBytes(bytes: Buffer): Buffer {
  const end = [bytes.indexOf('\r\n\r\n'), bytes.indexOf('\n\n')].filter((at) => at >= 0);
  const at = end.length === 0 ? bytes.length : Math.min(...end);
  const [head, body] = [bytes.subarray(0, at), bytes.subarray(at)];
  const [readable, text] = [inUtf8(head), declared.test(head.toString('latin1')) ? body : inUtf8(body)];
  return readable === head && text === body ? bytes : Buffer.concat([readable, text]);
}

const emptyText = '(empty)';

/** Reads the bytes of a mail, or the beginning of one. Throws `UnreadableMail`. */
export async function readContent(bytes: Buffer): Promise<MailContent> {
  requireFewLines(bytes);
  let mail: Email;
  try {
    mail = await PostalMime.parse(withoutForeignBytes(bytes), bounds);
  } catch (error) {
    throw new UnreadableMail(`It is no mail that can be read: ${error instanceof Error ? error.message : String(error)}.`);
  }
  const header = (name: string): string[] => mail.headers.filter(({ key }) => key === name.toLowerCase()).map(({ value }) => value);
  if (mail.headers.length === 0) throw new UnreadableMail('It has no headers.');
  if (mail.attachments.length > maxParts) throw new UnreadableMail(`It has more than ${maxParts} files.`);
  const sender = senderOf(mail);
  const text = tidyText((mail.text?.trim() ? mail.text : textOfHtml(mail.html ?? '')).slice(0, textLength));
  const report = reportOf(mail.attachments, header('content-type')[0] ?? '');
  const files = mail.attachments
    .filter((part) => !isSignature(part))
    .map((part, n) => ({ name: nameOf(part, n), mimeType: part.mimeType, content: bytesOf(part.content) }));
  const messageId = idsOf(mail.messageId)[0] ?? (oneLine(mail.messageId ?? '').slice(0, idLength) || undefined);
  const subject = startOf(oneLine(mail.subject ?? ''), 500);
  const identity =
    messageId === undefined
      ? bytes
      : JSON.stringify([messageId, sender?.address ?? '', subject, text, files.map(({ name, content }) => [name, content.length])]);
  return {
    messageId,
    references: [...new Set([...idsOf(mail.inReplyTo), ...idsOf(mail.references).toReversed()])].slice(0, maxReferences),
    sender: sender?.address.slice(0, 320),
    senderName: startOf(oneLine(sender?.name ?? ''), 200),
    subject,
    text: normalText(text) || emptyText,
    files,
    headers: mail.headers.map(({ key, value }) => ({ key, value })),
    report,
    key: hash('sha256', identity, 'buffer'),
  };
}
