/** The sign-in page: user name and password, answered with the next step of the portal's authorization request. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { errors, type Provider } from 'oidc-provider';
import { ApiError } from '@cloudfit/contract/errors.ts';
import type { Db } from '../../db/connection.ts';
import { recordAudit } from '../audit-entry.ts';
import { verifyPassword } from '../passwords.ts';
import { beginAttempt } from '../sign-in-attempts.ts';
import { formBody } from './form-body.ts';
import { html, page, send } from './page.ts';

export interface PageContext {
  db: Db;
  provider: Provider;
  publicUrl: string;
}

type Outcome = { personId: string } | { status: number; error: string; headers?: Record<string, string> };

export async function signInPage(
  context: PageContext,
  req: IncomingMessage,
  res: ServerResponse,
  address: string | undefined,
): Promise<void> {
  const { provider } = context;
  let prompt: string;
  try {
    prompt = (await provider.interactionDetails(req, res)).prompt.name;
  } catch (error) {
    if (!(error instanceof errors.SessionNotFound)) throw error;
    return send(
      res,
      400,
      page(
        'This page has expired',
        html`<p>The sign-in took too long, or was begun in another window.</p>
          <a class="button" href="/">Start again</a>`,
      ),
    );
  }
  // The portal is our own, so there is nothing to ask about.
  if (prompt !== 'login') return provider.interactionFinished(req, res, { consent: {} }, { mergeWithLastSubmission: true });
  if (req.method !== 'POST') return send(res, 200, form(''));

  const body = await formBody(req);
  const userName = body?.get('userName')?.trim().slice(0, 320) ?? '';
  const outcome = await signIn(context.db, userName, body?.get('password') ?? '', address);
  if ('error' in outcome) return send(res, outcome.status, form(userName, outcome.error), outcome.headers);
  return provider.interactionFinished(
    req,
    res,
    { login: { accountId: outcome.personId, remember: true, amr: ['pwd'] } },
    { mergeWithLastSubmission: false },
  );
}

async function signIn(db: Db, userName: string, password: string, address: string | undefined): Promise<Outcome> {
  if (userName === '' || password === '') return { status: 422, error: 'Please enter your user name and your password.' };
  const attempt = await beginAttempt(db, userName, address);
  if (attempt.waitSeconds > 0) {
    const seconds = attempt.waitSeconds === 1 ? 'a second' : `${attempt.waitSeconds} seconds`;
    return {
      status: 429,
      error: `Too many attempts. Please wait ${seconds} and try again.`,
      headers: { 'retry-after': String(attempt.waitSeconds) },
    };
  }
  const correlationId = randomUUID();
  try {
    const person = await verifyPassword(db, userName, password.slice(0, 1024));
    if (person?.enabled) {
      await attempt.succeeded();
      await db.transaction(async (tx) => {
        await tx.query({ text: 'update person set last_sign_in = now() where person_id = $1', values: [person.personId] });
        await recordAudit(tx, {
          actor: { kind: 'person', id: person.personId, name: person.userName },
          verb: 'sign-in',
          entity: 'people',
          entityId: person.personId,
          correlationId,
          address,
        });
      });
      return { personId: person.personId };
    }
    await recordAudit(db, {
      actor: { kind: 'person', id: person?.personId ?? null, name: userName },
      verb: 'sign-in-refused',
      entity: 'people',
      entityId: person?.personId ?? '',
      after: { reason: person ? 'disabled' : 'wrong user name or password' },
      correlationId,
      address,
    });
    return person
      ? { status: 403, error: 'Your account is disabled. Please ask an administrator.' }
      : { status: 422, error: 'The user name or the password is wrong.' };
  } catch (error) {
    if (error instanceof ApiError && error.code === 'Unavailable')
      return { status: 503, error: error.message, headers: { 'retry-after': '5' } };
    throw error;
  }
}

function form(userName: string, error?: string): string {
  const wrong = error ? { html: ' aria-invalid="true" aria-describedby="error"' } : undefined;
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
      </form>`,
  );
}
