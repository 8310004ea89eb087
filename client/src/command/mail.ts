/** `cloudfit mail MAILBOX`: the pipe by which a mail server hands a mail over. */
import { ExitError, UsageError, type CommandPart } from './command.ts';

/** Exit codes that mail servers understand (sysexits.h): try again later, or tell the sender that it cannot be delivered. */
const later = 75;
const refused = 65;

const answerMs = 60_000;
const guid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

interface Answered {
  outcome?: string;
  reason?: string | null;
  publicWorkUnitId?: number | null;
  error?: { message?: string };
}

const mail: CommandPart = {
  name: 'mail',
  usage: 'MAILBOX',
  about: 'Hand a mail over that stands on the standard input, for the pipe of a mail server. The token is CLOUDFIT_MAIL_TOKEN.',
  run: async ({ words: [mailbox, ...others], surroundings: { env, fetch, readIn }, print }) => {
    const { CLOUDFIT_SERVER: server = '', CLOUDFIT_MAIL_TOKEN: token = '' } = env;
    if (mailbox === undefined || others.length > 0 || !guid.test(mailbox))
      throw new UsageError('Name the mailbox by its id: cloudfit mail ID');
    if (!URL.canParse(server)) throw new UsageError('CLOUDFIT_SERVER names no server, such as https://ops.example.com.');
    if (token === '') throw new UsageError('CLOUDFIT_MAIL_TOKEN has no token. The page Mailboxes gives one.');
    const body = await readIn();
    let response: Response;
    try {
      response = await fetch(new URL(`/v1/mailboxes/${mailbox}/mail`, server), {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'message/rfc822' },
        body,
        signal: AbortSignal.timeout(answerMs),
      });
    } catch (error) {
      throw new ExitError(`The server does not answer: ${error instanceof Error ? error.message : String(error)}`, later);
    }
    const answer = (await response.json().catch(() => ({}))) as Answered;
    if (response.ok) {
      const { outcome = 'Stored', reason, publicWorkUnitId } = answer;
      print.value(answer, [[outcome, reason, publicWorkUnitId ? `#${publicWorkUnitId}` : ''].filter(Boolean).join(' ')]);
      return;
    }
    const message = answer.error?.message ?? `The server answers ${response.status}.`;
    // A wrong token is mended by a person; until then the mail server stores the mails.
    throw new ExitError(message, response.status === 400 || response.status === 413 ? refused : later);
  },
};

export const mailParts: readonly CommandPart[] = [mail];
