/**
 * Pages of the sign-in of a program by a device code (RFC 8628): the person enters the code that the program shows, and confirms
 * that the program is theirs.
 */
import type { KoaContextWithOIDC } from 'oidc-provider';
import type { Db } from '../../db/db.ts';
import { localeOf } from '../../context/locale.ts';
import { languageOf, readerOfPage } from '../../platform/language.ts';
import { html, page, type Html } from './page.ts';
import { signInTextsIn, type SignInTexts } from './texts.ts';

/** The client of programs that sign in by a device code, such as the command `cloudfit`. */
export const deviceClientId = (clientId: string): string => `${clientId}-device`;

/** The address that the form is sent to, and the value by which the provider knows that the form is its own. */
function formOf({ oidc }: KoaContextWithOIDC, fields: Html): Html {
  return html`<form method="post" action="${oidc.urlFor('code_verification')}">
    <input type="hidden" name="xsrf" value="${String(oidc.session?.state?.['secret'] ?? '')}" />${fields}
  </form>`;
}

/** The features of the provider library that show these pages. */
export function devicePages(db: Db) {
  const textsOf = async (ctx: KoaContextWithOIDC): Promise<SignInTexts> => {
    const person = ctx.oidc.session?.accountId;
    return signInTextsIn(
      person === undefined ? languageOf(ctx.req.headers) : readerOfPage(ctx.req.headers, await localeOf(db, person)).language,
    );
  };

  return {
    /** Asks for the code; again, with what was wrong, after one that the provider does not take. */
    userCodeInputSource: async (ctx: KoaContextWithOIDC, _form: string, _out?: unknown, error?: Error): Promise<void> => {
      const { lang, device } = await textsOf(ctx);
      const problem = error && (error.name === 'AbortedError' ? device.refused : device.wrong);
      ctx.body = page(
        lang,
        device.title,
        html`<p>${device.enter}</p>
          ${problem === undefined ? undefined : html`<p class="error" id="error" role="alert">${problem}</p>`}
          ${formOf(
            ctx,
            html`<div class="field">
                <label for="code">${device.code}</label
                ><input
                  id="code"
                  name="user_code"
                  type="text"
                  autocomplete="off"
                  autocapitalize="characters"
                  spellcheck="false"
                  maxlength="20"
                  required
                  autofocus${problem === undefined ? undefined : { html: ' aria-invalid="true" aria-describedby="error"' }}
                />
              </div>
              <button type="submit">${device.proceed}</button>`,
          )}`,
      );
    },
    /** Shows the code again, and whether to give the program the rights of the person. */
    userCodeConfirmSource: async (
      ctx: KoaContextWithOIDC,
      _form: string,
      client: { clientName?: string | undefined },
      _device: unknown,
      code: string,
    ): Promise<void> => {
      const { lang, device } = await textsOf(ctx);
      ctx.body = page(
        lang,
        device.confirm,
        html`<p>${device.asks(client.clientName ?? '')}</p>
          <p><strong>${code}</strong></p>
          <p>${device.compare}</p>
          ${formOf(
            ctx,
            html`<input type="hidden" name="user_code" value="${code}" />
              <button type="submit" name="confirm" value="yes">${device.accept}</button>
              <button type="submit" name="abort" value="yes" class="quiet">${device.refuse}</button>`,
          )}`,
      );
    },
    successSource: async (ctx: KoaContextWithOIDC): Promise<void> => {
      const { lang, device } = await textsOf(ctx);
      ctx.body = page(lang, device.done, html`<p>${device.close}</p>`);
    },
  };
}
