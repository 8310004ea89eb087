/** The form of the sign-in page, and the way to the provider of a directory. */
import type { OpenDirectory } from '../directories/open-directory.ts';
import { html, page, type Html } from './page.ts';
import type { SignInTexts } from './texts.ts';

/** The form for user name and password. Who is signed in at the provider of a directory leaves the password empty. */
export function signInForm(
  texts: SignInTexts,
  interaction: string,
  directories: readonly OpenDirectory[],
  userName: string,
  error?: string,
  wrongFields = true,
): string {
  const { signIn } = texts;
  const elsewhere = directories.filter(({ kind }) => kind === 'Oidc');
  const required = elsewhere.length > 0 ? undefined : { html: ' required' };
  const wrong = error && wrongFields ? { html: ' aria-invalid="true" aria-describedby="error"' } : undefined;
  const focus = { html: ' autofocus' };
  return page(
    texts.lang,
    error ? signIn.check : signIn.title,
    html` ${error ? html`<p class="error" id="error" role="alert">${error}</p>` : undefined}
      <form method="post">
        <div class="field">
          <label for="userName">${signIn.userName}</label
          ><input
            id="userName"
            name="userName"
            type="text"
            value="${userName}"
            autocomplete="username"
            autocapitalize="none"
            spellcheck="false"
            maxlength="320"
            required${wrong}${userName === '' ? focus : undefined}
          />
        </div>
        <div class="field">
          <label for="password">${signIn.password}</label
          ><input
            id="password"
            name="password"
            type="password"
            autocomplete="current-password"
            maxlength="256"
            ${required}${wrong}${userName === '' ? undefined : focus}
          />${elsewhere.length > 0 ? html`<small>${signIn.passwordUnlessElsewhere}</small>` : undefined}
        </div>
        <button type="submit">${signIn.submit}</button>
      </form>
      ${passkeyForm(texts, interaction)}
      ${{
        html: elsewhere
          .filter(({ hasButton }) => hasButton)
          .map(
            ({ directoryId, name }) =>
              html`<p class="other">
                <a class="button quiet" href="/idp/interaction/${interaction}/directory/${directoryId}">${signIn.by(name)}</a>
              </p>`.html,
          )
          .join(''),
      }}`,
    { script: 'passkeys.js' },
  );
}

/** The form that signs in with a passkey, which the page's script shows. */
export function passkeyForm({ passkeyScript, signIn }: SignInTexts, interaction: string): Html {
  return html`<form
    class="other"
    method="post"
    data-passkey="get"
    data-options="/idp/interaction/${interaction}/passkey"
    data-failed="${passkeyScript.get}"
    hidden
  >
    <p class="error" role="alert" hidden></p>
    <input type="hidden" name="passkey" />
    <button type="submit" class="quiet">${signIn.passkey}</button>
  </form>`;
}

/** Leads to the provider of a directory: a form may not be answered with the address of another site. */
export function elsewherePage({ lang, signIn }: SignInTexts, uid: string, { directoryId, name }: OpenDirectory): string {
  const address = `/idp/interaction/${uid}/directory/${directoryId}`;
  return page(
    lang,
    signIn.byTitle,
    html`<meta http-equiv="refresh" content="0;url=${address}" />
      <p>${signIn.byText(name)}</p>
      <a class="button" href="${address}">${signIn.by(name)}</a>`,
  );
}
