/** The page behind a one-time link: choose a password, then sign in with it. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { findLinkOwner, redeemLink, type LinkOwner } from '../sign-in/one-time-link.ts';
import { hashPassword, passwordFault } from '../sign-in/passwords.ts';
import { formBody } from './form-body.ts';
import { languageOf } from '../../platform/language.ts';
import { html, page, send, type Html } from './page.ts';
import type { PageContext } from './interaction.ts';
import { signInTextsIn, type SignInTexts } from './texts.ts';

export async function setPasswordPage(
  context: PageContext,
  token: string,
  req: IncomingMessage,
  res: ServerResponse,
  address: string | undefined,
): Promise<void> {
  const texts = signInTextsIn(languageOf(req.headers));
  const owner = await findLinkOwner(context.db, token);
  if (!owner) return send(res, 410, expiredPage(texts));
  if (req.method !== 'POST') return send(res, 200, form(texts, owner));
  const body = await formBody(req);
  const password = body?.get('password') ?? '';
  const problem = newPasswordProblem(texts, password, body?.get('repeated'), owner.userName);
  if (problem) return send(res, 422, form(texts, owner, problem));
  const used = await redeemLink(context.db, token, owner, await hashPassword(password), { correlationId: randomUUID(), address });
  if (!used) return send(res, 410, expiredPage(texts));
  return send(res, 303, '', { location: `${context.publicUrl}/user/login` });
}

function form(texts: SignInTexts, owner: LinkOwner, error?: string): string {
  const { title, intro, submit } = texts.newPassword;
  const body = html`<p>${intro(owner.userName)}</p>
    ${passwordFields(texts, owner.userName, error, submit)}`;
  return page(texts.lang, title, body);
}

/** Returns what is wrong with a new password that was typed twice. */
export function newPasswordProblem(
  { errors, newPasswordFaults }: SignInTexts,
  password: string,
  repeated: string | null | undefined,
  userName: string,
): string | undefined {
  const fault = passwordFault(password, userName);
  if (fault) return newPasswordFaults[fault];
  return password === repeated ? undefined : errors.unequal;
}

/** A form for a new password, typed twice. */
export function passwordFields({ newPassword }: SignInTexts, userName: string, error: string | undefined, button: string): Html {
  const wrong = error ? { html: ' aria-invalid="true" aria-describedby="error"' } : undefined;
  return html`${error ? html`<p class="error" id="error" role="alert">${error}</p>` : undefined}
    <form method="post">
      <input type="text" name="userName" value="${userName}" autocomplete="username" hidden />
      <div class="field">
        <label for="password">${newPassword.password}</label
        ><input
          id="password"
          name="password"
          type="password"
          autocomplete="new-password"
          minlength="12"
          maxlength="256"
          required
          autofocus${wrong}
        />
      </div>
      <div class="field">
        <label for="repeated">${newPassword.repeated}</label
        ><input id="repeated" name="repeated" type="password" autocomplete="new-password" minlength="12" maxlength="256" required${wrong} />
      </div>
      <button type="submit">${button}</button>
    </form>`;
}

function expiredPage({ lang, newPassword, signIn }: SignInTexts): string {
  return page(
    lang,
    newPassword.expired,
    html`<p>${newPassword.expiredText} <code>npm run admin -- person link USER</code></p>
      <a class="button" href="/user/login">${signIn.submit}</a>`,
  );
}
