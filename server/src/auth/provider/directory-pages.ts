/** The pages of a sign-in by a directory. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { languageOf } from '../../platform/language.ts';
import type { PendingSignIn } from '../directories/oidc.ts';
import { signInDirectories, type OpenDirectory } from '../directories/open-directory.ts';
import type { PasswordOwner } from '../sign-in/passwords.ts';
import { beginTotp } from '../sign-in/totp.ts';
import { refusalText, signInByDirectory, type Refusal } from './check-sign-in.ts';
import { beginAtProvider, checkInLdap, finishAtProvider } from './directory-sign-in.ts';
import { expiredPage, findInteraction, finish, nextStep, originOf, type PageContext, type SignInCall } from './interaction.ts';
import { html, page, send } from './page.ts';
import { signInForm } from './sign-in-form.ts';
import { signInTextsIn, type SignInTexts } from './texts.ts';

/** Signs in with a password that LDAP has checked. */
export async function enterDirectory(
  call: SignInCall,
  place: { directory: OpenDirectory } | { unclear: true },
  userName: string,
  directories: readonly OpenDirectory[],
): Promise<void> {
  const { context, texts, interaction, body, res, origin } = call;
  const password = (body.get('password') ?? '').slice(0, 1024);
  const checked: PasswordOwner | Refusal =
    'unclear' in place
      ? { status: 422, error: 'directoryUnclear' }
      : password === ''
        ? { status: 422, error: 'missing' }
        : await checkInLdap(context, place.directory, userName, password, origin);
  if ('error' in checked)
    return send(
      res,
      checked.status,
      signInForm(texts, interaction.uid, directories, userName, refusalText(texts, checked)),
      checked.headers,
    );
  return continueByDirectory(call, checked, false, 'directory' in place ? place.directory : undefined);
}

/** After a directory has signed the person in: the second factor, if the directory has checked none and one is required. */
async function continueByDirectory(
  { context, texts, interaction, req, res, origin }: SignInCall,
  person: PasswordOwner,
  isStrong: boolean,
  directory: OpenDirectory | undefined,
): Promise<void> {
  const outcome = await signInByDirectory(context.db, person, isStrong, directory?.name ?? '', origin);
  if ('error' in outcome) return send(res, outcome.status, refusedPage(texts, outcome));
  if ('enrol' in outcome || 'verify' in outcome) {
    // The address of the page is the one of the interaction, to which its forms are sent.
    if ('enrol' in outcome) {
      await nextStep(interaction, 'enrol', { ...outcome.enrol, byDirectory: true });
      await beginTotp(context.db, context.masterKey, outcome.enrol.personId);
    } else await nextStep(interaction, 'verify', outcome.verify);
    return send(res, 303, '', { location: `/idp/interaction/${interaction.uid}` });
  }
  return finish(context, req, res, outcome, isStrong ? ['fed', 'otp'] : ['fed']);
}

/** Sends the person of a sign-in to the provider of a directory. */
export async function toDirectory(context: PageContext, directoryId: string, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const texts = signInTextsIn(languageOf(req.headers));
  const interaction = await findInteraction(context.provider, req, res);
  if (interaction?.prompt.name !== 'login') return send(res, 400, expiredPage(texts));
  const directories = await signInDirectories(context.db);
  const directory = directories.find((each) => each.kind === 'Oidc' && each.directoryId === directoryId);
  if (!directory) return send(res, 404, signInForm(texts, interaction.uid, directories, '', texts.errors.directoryGone, false));
  const begun = await beginAtProvider(context, directory, interaction.uid);
  if ('error' in begun)
    return send(res, begun.status, signInForm(texts, interaction.uid, directories, '', refusalText(texts, begun), false));
  interaction.result = { provider: begun.pending };
  await interaction.save(interaction.exp - Math.floor(Date.now() / 1000));
  return send(res, 303, '', { location: begun.url });
}

/** Finishes the sign-in of a person whom the provider has sent back; what was remembered is used once. */
export async function fromDirectory(
  context: PageContext,
  query: URLSearchParams,
  req: IncomingMessage,
  res: ServerResponse,
  address: string | undefined,
): Promise<void> {
  const texts = signInTextsIn(languageOf(req.headers));
  const interaction = await findInteraction(context.provider, req, res);
  const pending = interaction && (interaction.result as { provider?: PendingSignIn } | undefined)?.provider;
  if (!interaction || !pending || query.get('state') !== pending.state) return send(res, 400, expiredPage(texts));
  interaction.result = {};
  await interaction.save(interaction.exp - Math.floor(Date.now() / 1000));
  const finished = await finishAtProvider(context, pending, query, address);
  const origin = originOf(context, req, address);
  if ('error' in finished) return send(res, finished.status, refusedPage(texts, finished, `/idp/interaction/${interaction.uid}`));
  const call: SignInCall = { context, texts, interaction, body: new URLSearchParams(), req, res, origin };
  return continueByDirectory(call, finished.person, finished.isStrong, finished.directory);
}

function refusedPage(texts: SignInTexts, refusal: Refusal, back = '/'): string {
  return page(
    texts.lang,
    texts.signIn.check,
    html`<p class="error" role="alert">${refusalText(texts, refusal)}</p>
      <a class="button" href="${back}">${texts.start}</a>`,
  );
}
