/** The sign-in page: user name and password, or a passkey. The answer continues the portal's authorization request. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AuthenticationResponseJSON } from '@simplewebauthn/server';
import { errors, type Provider } from 'oidc-provider';
import type { Db } from '../../db/connection.ts';
import { signInOptions } from '../passkeys.ts';
import { signInWithPasskey, signInWithPassword } from './check-sign-in.ts';
import { formBody, jsonObject } from './form-body.ts';
import { html, page, send, sendJson } from './page.ts';

export interface PageContext {
  db: Db;
  provider: Provider;
  publicUrl: string;
}

const challengePage = (interaction: string) => `sign-in ${interaction}`;

export async function signInPage(
  context: PageContext,
  req: IncomingMessage,
  res: ServerResponse,
  address: string | undefined,
): Promise<void> {
  const { db, provider } = context;
  const interaction = await findInteraction(provider, req, res);
  if (!interaction) return send(res, 400, expiredPage());
  // The portal is our own client, so no consent is asked for.
  if (interaction.prompt.name !== 'login')
    return provider.interactionFinished(req, res, { consent: {} }, { mergeWithLastSubmission: true });
  if (req.method !== 'POST') return send(res, 200, form(interaction.uid, ''));

  const body = await formBody(req);
  const userName = body?.get('userName')?.trim().slice(0, 320) ?? '';
  const passkey = jsonObject<AuthenticationResponseJSON>(body?.get('passkey'));
  const outcome = passkey
    ? await signInWithPasskey(db, context, challengePage(interaction.uid), passkey, address)
    : await signInWithPassword(db, userName, body?.get('password') ?? '', address);
  if ('error' in outcome) return send(res, outcome.status, form(interaction.uid, userName, outcome.error, !passkey), outcome.headers);
  // Authentication methods of RFC 8176: a password, or proof of possession of a key.
  const login = { accountId: outcome.personId, remember: true, amr: [passkey ? 'pop' : 'pwd'] };
  return provider.interactionFinished(req, res, { login }, { mergeWithLastSubmission: false });
}

/** What the page's script needs to ask the browser for a passkey. */
export async function passkeySignInOptions(context: PageContext, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const interaction = await findInteraction(context.provider, req, res);
  if (!interaction) return sendJson(res, 400, { error: 'This page has expired. Please load it again.' });
  return sendJson(res, 200, await signInOptions(context.db, context, challengePage(interaction.uid)));
}

async function findInteraction(provider: Provider, req: IncomingMessage, res: ServerResponse) {
  try {
    return await provider.interactionDetails(req, res);
  } catch (error) {
    if (error instanceof errors.SessionNotFound) return undefined;
    throw error;
  }
}

function expiredPage(): string {
  return page(
    'This page has expired',
    html`<p>The sign-in took too long, or was begun in another window.</p>
      <a class="button" href="/">Start again</a>`,
  );
}

function form(interaction: string, userName: string, error?: string, wrongFields = true): string {
  const wrong = error && wrongFields ? { html: ' aria-invalid="true" aria-describedby="error"' } : undefined;
  const focus = { html: ' autofocus' };
  return page(
    error ? 'Sign in: please check' : 'Sign in',
    html` ${error ? html`<p class="error" id="error" role="alert">${error}</p>` : undefined}
      <form method="post">
        <div class="field">
          <label for="userName">User name</label
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
          <label for="password">Password</label
          ><input
            id="password"
            name="password"
            type="password"
            autocomplete="current-password"
            maxlength="256"
            required${wrong}${userName === '' ? undefined : focus}
          />
        </div>
        <button type="submit">Sign in</button>
      </form>
      <form class="other" method="post" data-passkey="get" data-options="/idp/interaction/${interaction}/passkey" hidden>
        <p class="error" role="alert" hidden></p>
        <input type="hidden" name="passkey" />
        <button type="submit" class="quiet">Use a passkey</button>
      </form>`,
    { script: 'passkeys.js' },
  );
}
