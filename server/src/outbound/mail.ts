/** Sends mail through the operator's SMTP server. */
import type { Transporter } from 'nodemailer';

export interface MailMessage {
  to: string;
  cc?: string | undefined;
  bcc?: string | undefined;
  subject: string;
  text: string;
  important: boolean;
  /** Makes the Message-ID, so that a repeat can be told. */
  messageId: string;
}

export interface Mail {
  /** Answers what the server said. */
  send(message: MailMessage): Promise<string>;
  close(): void;
}

/** `url` as in `smtps://user:password@host:465`. */
export function openMail(options: { url: string; from: string }): Mail {
  // Loaded at the first mail: installations without a mail server never need it.
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
    async send({ to, cc, bcc, subject, text, important, messageId }) {
      const sent = (await (
        await (loaded ??= load())
      ).sendMail({
        to,
        subject,
        text,
        messageId: `<${messageId}@${domain}>`,
        priority: important ? 'high' : 'normal',
        ...(cc ? { cc } : {}),
        ...(bcc ? { bcc } : {}),
      })) as { response?: string };
      return sent.response ?? '';
    },
    close: () => void loaded?.then((transport) => transport.close()),
  };
}
