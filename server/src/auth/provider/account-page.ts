/** The HTML of the account page. */
import type { Passkey } from '../sign-in/passkeys.ts';
import type { TotpState } from '../sign-in/totp.ts';
import type { SignedInSession } from '../sessions.ts';
import { codeField, recoveryCodeList, scanSection } from './code-parts.ts';
import { html, page, type Html } from './page.ts';

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

const doneTexts: Readonly<Record<DoneStep, string>> = {
  password: 'Your password was changed. You are signed out everywhere else.',
  passkey: 'The passkey was added. You can sign in with it from now on.',
  removed: 'The passkey was removed.',
  'signed-out': 'You are signed out everywhere else.',
  ended: 'That sign-in has ended.',
  'codes-removed': 'The authenticator app was removed. You sign in without its codes from now on.',
};

export function accountPage(view: AccountView): string {
  const body = html`<p>${view.name === view.userName ? view.name : `${view.name} · ${view.userName}`}</p>
    ${view.done ? html`<p class="done" role="status">${doneTexts[view.done]}</p>` : undefined} ${passkeySection(view)} ${codeSection(view)}
    ${passwordSection(view)} ${sessionSection(view)}
    <p class="back"><a href="/">Back to CloudFit</a></p>`;
  return page(view.error ? 'Your sign-in: please check' : 'Your sign-in', body, { script: 'passkeys.js', wide: true });
}

const joined = (parts: readonly Html[]): Html => ({ html: parts.map((part) => part.html).join('') });

/** A day; without a script, the time zone of the reader is unknown, so days and times are those of UTC. */
const day = (timestamp: string) => html`<time datetime="${timestamp}">${timestamp.slice(0, 10)}</time>`;
const moment = (timestamp: string) => html`<time datetime="${timestamp}">${timestamp.slice(0, 16).replace('T', ' ')} UTC</time>`;

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

function passkeySection(view: AccountView): Html {
  const rows = view.passkeys.map(
    (passkey) =>
      html`<li>
        <span
          ><strong>${passkey.name}</strong
          ><small
            >Added ${day(passkey.created)}${passkey.backedUp ? ', kept by a password manager' : ''},
            ${passkey.lastUsed ? html`last used ${day(passkey.lastUsed)}` : 'not used yet'}</small
          ></span
        >
        <details>
          <summary aria-label="Remove the passkey ${passkey.name}">Remove</summary>
          <form method="post" action="/idp/account/passkeys/remove">
            <input type="hidden" name="passkeyId" value="${passkey.passkeyId}" />
            ${passwordField(`remove-${passkey.passkeyId}`, 'current', 'Your password', 'current-password')}
            <button type="submit" class="quiet">Remove this passkey</button>
          </form>
        </details>
      </li>`,
  );
  return html`<section aria-labelledby="passkeys">
    <h2 id="passkeys">Passkeys</h2>
    <p>
      Sign in with your fingerprint, face or screen lock instead of a password. A passkey cannot be guessed, and fake pages cannot ask for
      it.
    </p>
    ${
      rows.length > 0
        ? html`<ul>
            ${joined(rows)}
          </ul>`
        : undefined
    }
    ${problem(view, 'passkey')}
    <form method="post" action="/idp/account/passkeys" data-passkey="create" data-options="/idp/account/passkeys/options" hidden>
      <p class="error" role="alert" hidden></p>
      <input type="hidden" name="passkey" />
      <div class="field">
        <label for="passkeyName">Name of the new passkey</label
        ><input id="passkeyName" name="name" type="text" maxlength="80" placeholder="As in: blue laptop" required />
      </div>
      ${passwordField('passkeyPassword', 'current', 'Your password', 'current-password')}
      <button type="submit">Add a passkey</button>
    </form>
  </section>`;
}

function codeSection(view: AccountView): Html {
  const { totp, toScan, recoveryCodes } = view;
  const body = totp?.confirmedOn
    ? html`<p>Set up on ${day(totp.confirmedOn)}; ${totp.recoveryCodesLeft} of 10 recovery codes are left.</p>
        ${recoveryCodes ? recoveryCodeList(recoveryCodes) : undefined} ${problem(view, 'codes')}
        <form method="post" action="/idp/account/codes/change">
          ${passwordField('codesPassword', 'current', 'Your password', 'current-password')}
          <button type="submit" name="change" value="renew" class="quiet">New recovery codes</button>
          <button type="submit" name="change" value="remove" class="quiet">Remove the app</button>
        </form>`
    : toScan
      ? html`${scanSection(toScan)} ${problem(view, 'codes')}
          <form method="post" action="/idp/account/codes/confirm">
            ${codeField('Code that the app shows', true, view.form === 'codes' && view.error !== undefined)}<button type="submit">
              Set up the app
            </button>
          </form>`
      : html`${problem(view, 'codes')}
          <form method="post" action="/idp/account/codes">
            ${passwordField('codesPassword', 'current', 'Your password', 'current-password')}
            <button type="submit">Set up an authenticator app</button>
          </form>`;
  return html`<section aria-labelledby="codes">
    <h2 id="codes">Authenticator app</h2>
    <p>An app on your phone shows a code that each sign-in by password asks for, so that the password alone is not enough.</p>
    ${body}
  </section>`;
}

function passwordSection(view: AccountView): Html {
  return html`<section aria-labelledby="password">
    <h2 id="password">Password</h2>
    <p>At least 12 characters; a few unrelated words do well. Changing it signs you out everywhere else.</p>
    ${problem(view, 'password')}
    <form method="post" action="/idp/account/password">
      <input type="text" name="userName" value="${view.userName}" autocomplete="username" hidden />
      ${passwordField('current', 'current', 'Present password', 'current-password')}
      ${passwordField('newPassword', 'password', 'New password', 'new-password')}
      ${passwordField('repeated', 'repeated', 'New password again', 'new-password')}
      <button type="submit">Change password</button>
    </form>
  </section>`;
}

function sessionSection(view: AccountView): Html {
  const rows = view.sessions.map(
    ({ uid, signedInOn, withPasskey, withCode }) =>
      html`<li>
        <span
          ><strong>${uid === view.session ? 'This browser' : 'Another browser'}</strong
          ><small
            >Signed in ${moment(signedInOn)} with a ${withPasskey ? 'passkey' : withCode ? 'password and a code' : 'password'}</small
          ></span
        >
        ${
          uid === view.session
            ? undefined
            : html`<form method="post" action="/idp/account/sessions/end">
                <input type="hidden" name="session" value="${uid}" />
                <button type="submit" class="quiet" aria-label="End the sign-in of ${signedInOn.slice(0, 16).replace('T', ' ')} UTC">
                  End
                </button>
              </form>`
        }
      </li>`,
  );
  return html`<section aria-labelledby="sessions">
    <h2 id="sessions">Where you are signed in</h2>
    <ul>
      ${joined(rows)}
    </ul>
    <form method="post" action="/idp/account/sign-out">
      <button type="submit" class="quiet">Sign out everywhere else</button>
    </form>
  </section>`;
}
