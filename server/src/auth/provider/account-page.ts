/** The HTML of the account page. */
import type { Passkey } from '../sign-in/passkeys.ts';
import type { TotpState } from '../sign-in/totp.ts';
import type { SignedInSession } from '../sessions.ts';
import { codeField, recoveryCodeList, scanSection } from './code-parts.ts';
import { html, page, type Html } from './page.ts';
import type { TextReader } from '../../platform/language.ts';
import { dayText, momentText } from '../../platform/times.ts';
import type { SignInTexts } from './texts.ts';

export const doneSteps = ['password', 'passkey', 'removed', 'signed-out', 'ended', 'codes-removed'] as const;
export type DoneStep = (typeof doneSteps)[number];
export type AccountForm = 'password' | 'passkey' | 'codes';

export interface AccountView {
  userName: string;
  name: string;
  /** Id of the session in which the page is viewed. */
  session: string;
  passkeys: readonly Passkey[];
  totp: TotpState | undefined;
  /** The new secret of an authenticator app, until a first code confirms it. */
  toScan?: { image: string; secret: string } | undefined;
  /** New recovery codes, shown once. */
  recoveryCodes?: readonly string[] | undefined;
  sessions: readonly SignedInSession[];
  done?: DoneStep | undefined;
  /** The form to which `error` belongs. */
  form?: AccountForm;
  error?: string;
}

/** What the sections of the page are made of: the texts, who reads them, and what they show. */
interface AccountParts {
  texts: SignInTexts;
  reader: TextReader;
  view: AccountView;
}

export function accountPage(texts: SignInTexts, reader: TextReader, view: AccountView): string {
  const { title, check, done } = texts.account;
  const parts: AccountParts = { texts, reader, view };
  const body = html`<p>${view.name === view.userName ? view.name : `${view.name} · ${view.userName}`}</p>
    ${view.done ? html`<p class="done" role="status">${done[view.done]}</p>` : undefined} ${passkeySection(parts)} ${codeSection(parts)}
    ${passwordSection(parts)} ${sessionSection(parts)}
    <p class="back"><a href="/">${texts.back}</a></p>`;
  return page(texts.lang, view.error ? check : title, body, { script: 'passkeys.js', wide: true });
}

const joined = (parts: readonly Html[]): Html => ({ html: parts.map((part) => part.html).join('') });

// Without a script the time zone of the browser is unknown, so that the times are those of UTC until the person has chosen a zone.
const day = (reader: TextReader, timestamp: string) => html`<time datetime="${timestamp}">${dayText(reader, timestamp)}</time>`;
const moment = (reader: TextReader, timestamp: string) => html`<time datetime="${timestamp}">${momentText(reader, timestamp)}</time>`;

function problem(view: AccountView, form: AccountForm): Html | undefined {
  return view.form === form && view.error ? html`<p class="error" id="error" role="alert">${view.error}</p>` : undefined;
}

function passwordField(id: string, name: string, label: string, autocomplete: string): Html {
  const minLength = autocomplete === 'new-password' ? { html: ' minlength="12"' } : undefined;
  return html`<div class="field">
    <label for="${id}">${label}</label
    ><input id="${id}" name="${name}" type="password" autocomplete="${autocomplete}" maxlength="256" required${minLength} />
  </div>`;
}

function passkeySection({ texts, reader, view }: AccountParts): Html {
  const { passkeys, ownPassword } = texts.account;
  const rows = view.passkeys.map(
    (passkey) =>
      html`<li>
        <span
          ><strong>${passkey.name}</strong
          ><small
            >${passkeys.added} ${day(reader, passkey.created)}${passkey.backedUp ? `, ${passkeys.backedUp}` : ''},
            ${passkey.lastUsed ? html`${passkeys.lastUsed} ${day(reader, passkey.lastUsed)}` : passkeys.unused}</small
          ></span
        >
        <details>
          <summary aria-label="${passkeys.removeOf(passkey.name)}">${passkeys.remove}</summary>
          <form method="post" action="/idp/account/passkeys/remove">
            <input type="hidden" name="passkeyId" value="${passkey.passkeyId}" />
            ${passwordField(`remove-${passkey.passkeyId}`, 'current', ownPassword, 'current-password')}
            <button type="submit" class="quiet">${passkeys.removeThis}</button>
          </form>
        </details>
      </li>`,
  );
  return html`<section aria-labelledby="passkeys">
    <h2 id="passkeys">${passkeys.title}</h2>
    <p>${passkeys.hint}</p>
    ${
      rows.length > 0
        ? html`<ul>
            ${joined(rows)}
          </ul>`
        : undefined
    }
    ${problem(view, 'passkey')}
    <form
      method="post"
      action="/idp/account/passkeys"
      data-passkey="create"
      data-options="/idp/account/passkeys/options"
      data-failed="${texts.passkeyScript.create}"
      data-known="${texts.passkeyScript.known}"
      hidden
    >
      <p class="error" role="alert" hidden></p>
      <input type="hidden" name="passkey" />
      <div class="field">
        <label for="passkeyName">${passkeys.name}</label
        ><input id="passkeyName" name="name" type="text" maxlength="80" placeholder="${texts.passkeyExample}" required />
      </div>
      ${passwordField('passkeyPassword', 'current', ownPassword, 'current-password')}
      <button type="submit">${passkeys.add}</button>
    </form>
  </section>`;
}

function codeSection({ texts, reader, view }: AccountParts): Html {
  const { app } = texts;
  const { codes, ownPassword } = texts.account;
  const { totp, toScan, recoveryCodes } = view;
  const body = totp?.confirmedOn
    ? html`<p>${codes.setUpOn} ${day(reader, totp.confirmedOn)}; ${codes.left(totp.recoveryCodesLeft)}</p>
        ${recoveryCodes ? recoveryCodeList(texts, recoveryCodes) : undefined} ${problem(view, 'codes')}
        <form method="post" action="/idp/account/codes/change">
          ${passwordField('codesPassword', 'current', ownPassword, 'current-password')}
          <button type="submit" name="change" value="renew" class="quiet">${codes.renew}</button>
          <button type="submit" name="change" value="remove" class="quiet">${codes.remove}</button>
        </form>`
    : toScan
      ? html`${scanSection(texts, toScan)} ${problem(view, 'codes')}
          <form method="post" action="/idp/account/codes/confirm">
            ${codeField(app.firstCode, true, view.form === 'codes' && view.error !== undefined)}<button type="submit">${app.submit}</button>
          </form>`
      : html`${problem(view, 'codes')}
          <form method="post" action="/idp/account/codes">
            ${passwordField('codesPassword', 'current', ownPassword, 'current-password')}
            <button type="submit">${codes.begin}</button>
          </form>`;
  return html`<section aria-labelledby="codes">
    <h2 id="codes">${app.title}</h2>
    <p>${codes.hint}</p>
    ${body}
  </section>`;
}

function passwordSection({ texts, view }: AccountParts): Html {
  const { password } = texts.account;
  return html`<section aria-labelledby="password">
    <h2 id="password">${texts.signIn.password}</h2>
    <p>${password.hint}</p>
    ${problem(view, 'password')}
    <form method="post" action="/idp/account/password">
      <input type="text" name="userName" value="${view.userName}" autocomplete="username" hidden />
      ${passwordField('current', 'current', password.present, 'current-password')}
      ${passwordField('newPassword', 'password', texts.newPassword.password, 'new-password')}
      ${passwordField('repeated', 'repeated', texts.newPassword.repeated, 'new-password')}
      <button type="submit">${password.submit}</button>
    </form>
  </section>`;
}

function sessionSection({ texts, reader, view }: AccountParts): Html {
  const { sessions } = texts.account;
  const rows = view.sessions.map(
    ({ uid, signedInOn, withPasskey, withCode }) =>
      html`<li>
        <span
          ><strong>${uid === view.session ? sessions.here : sessions.elsewhere}</strong
          ><small
            >${sessions.since} ${moment(reader, signedInOn)}
            ${withPasskey ? sessions.passkey : withCode ? sessions.code : sessions.password}</small
          ></span
        >
        ${
          uid === view.session
            ? undefined
            : html`<form method="post" action="/idp/account/sessions/end">
                <input type="hidden" name="session" value="${uid}" />
                <button type="submit" class="quiet" aria-label="${sessions.endOf(momentText(reader, signedInOn))}">${sessions.end}</button>
              </form>`
        }
      </li>`,
  );
  return html`<section aria-labelledby="sessions">
    <h2 id="sessions">${sessions.title}</h2>
    <ul>
      ${joined(rows)}
    </ul>
    <form method="post" action="/idp/account/sign-out">
      <button type="submit" class="quiet">${sessions.endAll}</button>
    </form>
  </section>`;
}
