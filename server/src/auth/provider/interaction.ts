/** What the pages of a sign-in share: the sign-in that is under way, the step that it waits for, and how it ends. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { errors, type Provider } from 'oidc-provider';
import { deviceCookie, deviceOf, type QueueSignInMail, type SignInOrigin } from '../sign-in/sign-in-devices.ts';
import { cookieName } from './configuration.ts';
import type { DirectoryContext } from './directory-sign-in.ts';
import { html, page } from './page.ts';
import type { SignInTexts } from './texts.ts';

export interface PageContext extends DirectoryContext {
  provider: Provider;
  publicUrl: string;
  queueMail: QueueSignInMail;
}

/**
 * Completes the sign-in. `amr`: its authentication methods (RFC 8176): `pwd` is a password, `pop` a passkey, `otp` a
 * one-time code.
 */
export function finish(
  { provider, publicUrl }: PageContext,
  req: IncomingMessage,
  res: ServerResponse,
  { personId, device }: { personId: string; device: string },
  amr: readonly string[],
): Promise<void> {
  res.setHeader('set-cookie', deviceCookie(cookieName(publicUrl, 'device'), device, publicUrl.startsWith('https:')));
  const login = { accountId: personId, remember: true, amr: [...amr] };
  return provider.interactionFinished(req, res, { login }, { mergeWithLastSubmission: false });
}

export function originOf({ publicUrl, queueMail }: PageContext, req: IncomingMessage, address: string | undefined): SignInOrigin {
  const { cookie, 'user-agent': userAgent } = req.headers;
  return { queueMail, address, device: deviceOf(cookie, cookieName(publicUrl, 'device')), userAgent };
}

export async function findInteraction(provider: Provider, req: IncomingMessage, res: ServerResponse) {
  try {
    return await provider.interactionDetails(req, res);
  } catch (error) {
    if (error instanceof errors.SessionNotFound) return undefined;
    throw error;
  }
}

type FoundInteraction = NonNullable<Awaited<ReturnType<typeof findInteraction>>>;

export interface Enrolment {
  personId: string;
  name: string;
  userName: string;
  /** Whether a directory has signed the person in, who then has no passkey here. */
  byDirectory?: boolean;
}

/**
 * The step that the sign-in waits for, with the person whose password was correct: the set-up of a second factor
 * (`enrol`), a code (`verify`), or the confirmation that the recovery codes were seen (`ready`).
 */
type Steps = Partial<Record<'enrol' | 'verify' | 'ready', Enrolment>>;

export function stepOf({ result }: FoundInteraction): Steps {
  return (result as Steps | undefined) ?? {};
}

export async function nextStep(interaction: FoundInteraction, step: keyof Steps, person: Enrolment): Promise<Enrolment> {
  const { personId, name, userName, byDirectory } = person;
  interaction.result = { [step]: { personId, name, userName, ...(byDirectory ? { byDirectory } : {}) } };
  await interaction.save(interaction.exp - Math.floor(Date.now() / 1000));
  return { personId, name, userName };
}

export interface SignInCall {
  context: PageContext;
  texts: SignInTexts;
  interaction: FoundInteraction;
  body: URLSearchParams;
  req: IncomingMessage;
  res: ServerResponse;
  origin: SignInOrigin;
}

export function expiredPage({ lang, expired, start }: SignInTexts): string {
  return page(
    lang,
    expired.title,
    html`<p>${expired.text}</p>
      <a class="button" href="/">${start}</a>`,
  );
}
