/** Connects to IMAP servers, within the rules of outbound calls; says what is wrong in words of whoever set the mailbox up. */
import dns from 'node:dns/promises';
import { isIP } from 'node:net';
import { getCACertificates } from 'node:tls';
import type { ImapFlow } from 'imapflow';
import { messageOf } from '@cloudfit/contract/errors.ts';
import { addressRules, type AddressRules } from './addresses.ts';

export interface ImapSettings {
  host: string;
  port: number;
  security: 'Tls' | 'StartTls';
  userName: string;
  /** A password, or a token of OAuth 2.0. */
  credential: { password: string } | { accessToken: string };
  folder: string;
  /** PEM of an authority beside the public ones. */
  certificate: string | null;
}

/** What failed while a folder was opened. */
export type ImapStep = 'address' | 'tls' | 'password' | 'folder';

export class ImapFailed extends Error {
  readonly step: ImapStep;

  constructor(step: ImapStep, message: string) {
    super(message);
    this.step = step;
  }
}

export interface ImapFolder {
  uidValidity: number;
  newUids(above: number, unreadSince?: Date): Promise<number[]>;
  read(uid: number, maxBytes: number): Promise<{ bytes: Buffer; size: number } | undefined>;
  markRead(uid: number): Promise<void>;
  onNew(call: () => void): void;
  closed: Promise<string>;
  close(): Promise<void>;
}

const ports = new Set([143, 993]);
const connectMs = 15_000;
/** A server that has not let the folder be opened by then, or said which mails there are, hangs. */
const usualAnswerMs = 45_000;

/** Resolves the host and returns the first address that may be called, so that what is connected to is what was checked. */
async function addressOf({ host, port }: ImapSettings, rules: AddressRules): Promise<string> {
  const addresses = isIP(host)
    ? [host]
    : await dns
        .lookup(host, { all: true })
        .then((all) => all.map(({ address }) => address))
        .catch(() => []);
  if (addresses.length === 0) throw new ImapFailed('address', `The host ${host} has no address. Please check its name.`);
  const address = addresses.find((candidate) => !rules.refusal(candidate, host));
  if (address === undefined) throw new ImapFailed('address', rules.refusal(addresses[0] ?? '', host) ?? '');
  if (!ports.has(port) && !rules.isAllowed(address, host))
    throw new ImapFailed(
      'address',
      `The port ${port} may only be used where the allow list (OUTBOUND_ALLOW of the server) names the host; mail is usually read at 993 or 143.`,
    );
  return address;
}

interface ImapError {
  code?: string;
  authenticationFailed?: boolean;
  tlsFailed?: boolean;
  responseText?: string;
  response?: unknown;
  cause?: unknown;
}

const certificateFaults: Readonly<Record<string, (host: string) => string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: (host) => `The certificate of ${host} is self-signed. Please enter it as the certificate of the authority.`,
  SELF_SIGNED_CERT_IN_CHAIN: (host) =>
    `The certificate of ${host} comes from an authority that is not public. Please enter the certificate of that authority.`,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: (host) =>
    `The authority of the certificate of ${host} is unknown. Please enter its certificate, or let the server send its whole chain.`,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: (host) =>
    `The authority of the certificate of ${host} is unknown. Please enter its certificate, or let the server send its whole chain.`,
  CERT_HAS_EXPIRED: (host) => `The certificate of ${host} has expired.`,
  CERT_NOT_YET_VALID: (host) => `The certificate of ${host} is not valid yet. Please check the clocks.`,
  ERR_TLS_CERT_ALTNAME_INVALID: (host) => `The certificate is of another host than ${host}. Please enter the name that it has.`,
};

function explain(error: unknown, { host, port, security, userName, credential }: ImapSettings): ImapFailed {
  if (error instanceof ImapFailed) return error;
  const { code = '', authenticationFailed, tlsFailed, responseText } = error as ImapError;
  const text = messageOf(error);
  const certificate = certificateFaults[code];
  if (certificate) return new ImapFailed('tls', certificate(host));
  if (authenticationFailed && 'accessToken' in credential)
    return new ImapFailed(
      'password',
      `The server does not accept the token for ${userName}${responseText ? `: ${responseText}` : '.'} The provider must let the client read this mailbox by IMAP.`,
    );
  if (authenticationFailed)
    return new ImapFailed(
      'password',
      `The server does not accept the password of ${userName}${responseText ? `: ${responseText}` : '.'} Some providers need a password for programs.`,
    );
  if (tlsFailed || /STARTTLS/i.test(text))
    return new ImapFailed('tls', `The server at port ${port} does not offer STARTTLS. Please choose TLS, usually at port 993.`);
  if (
    code === 'ERR_SSL_WRONG_VERSION_NUMBER' ||
    code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG' ||
    code === 'EPROTO' ||
    /wrong version number|packet length too long/i.test(text)
  )
    return new ImapFailed(
      'tls',
      `The server does not begin with TLS at port ${port}. Please choose STARTTLS, usually at port 143, or another port.`,
    );
  if (code === 'ECONNREFUSED') return new ImapFailed('address', `Nothing answers at port ${port} of ${host}. Please check host and port.`);
  if (code === 'ETIMEDOUT' || code === 'CONNECT_TIMEOUT' || code === 'EHOSTUNREACH' || code === 'ENETUNREACH')
    return new ImapFailed('address', `${host} does not answer at port ${port}. Please check host, port and firewalls.`);
  if (/^GREETING|GREETING_TIMEOUT|UPGRADE_TIMEOUT/i.test(code))
    return new ImapFailed(
      'tls',
      security === 'StartTls'
        ? `The server at port ${port} says nothing before TLS. Please choose TLS, or port 143.`
        : `The server at port ${port} does not speak IMAP. Please check the port.`,
    );
  return new ImapFailed(/CERT|TLS|SSL/i.test(code) ? 'tls' : 'address', `The server could not be read: ${responseText ?? text}`);
}

/** Opens the folder of a mailbox. Throws `ImapFailed`. */
export type OpenImap = (settings: ImapSettings) => Promise<ImapFolder>;

export function imapClient({ allow, answerMs = usualAnswerMs }: { allow: readonly string[]; answerMs?: number | undefined }): OpenImap {
  const rules = addressRules(allow);

  return async (settings) => {
    const address = await addressOf(settings, rules);
    const { host, port, security, userName, credential, folder, certificate } = settings;
    // Loaded with the first mailbox: installations without one never need it.
    const { ImapFlow } = await import('imapflow');
    const client = new ImapFlow({
      host: address,
      servername: isIP(host) ? undefined : host,
      port,
      secure: security === 'Tls',
      ...(security === 'Tls' ? {} : { doSTARTTLS: true }),
      auth:
        'password' in credential ? { user: userName, pass: credential.password } : { user: userName, accessToken: credential.accessToken },
      logger: false,
      clientInfo: { name: 'CloudFit' },
      // New mails are announced from then on; the default would wait 15 s.
      autoIdleDelay: 50,
      // Servers may end an IDLE after half an hour; networks forget a connection sooner.
      maxIdleTime: 240_000,
      connectionTimeout: connectMs,
      greetingTimeout: connectMs,
      tls: { minVersion: 'TLSv1.2', ...(certificate ? { ca: [...getCACertificates(), certificate] } : {}) },
    });
    const closed = Promise.withResolvers<string>();
    let problem: unknown;
    client.on('error', (error: unknown) => (problem = error));
    client.on('close', () => closed.resolve(problem === undefined ? 'The server has closed the connection.' : messageOf(problem)));
    const inTime = async <T>(work: Promise<T>): Promise<T> => {
      let hangs = false;
      const timer = setTimeout(() => {
        hangs = true;
        client.close();
      }, answerMs);
      try {
        return await work;
      } catch (error) {
        throw hangs ? new ImapFailed('address', `${host} does not answer any more. Please try later, or check the server.`) : error;
      } finally {
        clearTimeout(timer);
      }
    };
    try {
      await inTime(client.connect().then(() => openFolder(client, folder)));
    } catch (error) {
      client.close();
      throw explain(error, settings);
    }
    return folderOf(client, closed.promise, inTime);
  };
}

const shownFolders = 12;

async function openFolder(client: ImapFlow, folder: string): Promise<void> {
  try {
    await client.mailboxOpen(folder);
  } catch (error) {
    const folders = await client.list().catch(() => []);
    if (folders.some(({ path }) => path === folder)) throw error;
    const names = folders.map(({ path }) => path);
    const named = names.slice(0, shownFolders).join(', ') + (names.length > shownFolders ? ' and more' : '');
    throw new ImapFailed('folder', `There is no folder ${folder}. The mailbox has: ${named || 'none'}.`);
  }
}

function folderOf(client: ImapFlow, closed: Promise<string>, inTime: <T>(work: Promise<T>) => Promise<T>): ImapFolder {
  const { mailbox } = client;
  if (!mailbox) throw new ImapFailed('folder', 'The folder was not opened.');
  return {
    uidValidity: Number(mailbox.uidValidity),
    newUids: async (above, unreadSince) => {
      const uids = await inTime(
        client.search({ uid: `${above + 1}:*`, ...(unreadSince ? { seen: false, since: unreadSince } : {}) }, { uid: true }),
      );
      if (uids === false) throw new ImapFailed('folder', 'The server does not list the mails of the folder.');
      // `n:*` has the last mail even if its UID is lower.
      return (uids ?? []).filter((uid) => uid > above).toSorted((a, b) => a - b);
    },
    read: async (uid, maxBytes) => {
      const mail = await client.fetchOne(String(uid), { uid: true, size: true, source: { start: 0, maxLength: maxBytes } }, { uid: true });
      if (!mail || !mail.source) return undefined;
      return { bytes: mail.source, size: Math.max(mail.size ?? 0, mail.source.length) };
    },
    markRead: async (uid) => {
      await client.messageFlagsAdd(String(uid), [String.raw`\Seen`], { uid: true });
    },
    onNew: (call) => void client.on('exists', call),
    closed,
    close: async () => {
      // A server that does not answer any more does not say good-bye.
      const timer = setTimeout(() => client.close(), 2_000);
      await client.logout().catch(() => undefined);
      clearTimeout(timer);
      client.close();
    },
  };
}
