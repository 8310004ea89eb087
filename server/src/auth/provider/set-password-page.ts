/** The page behind a one-time link: choose a password, then sign in with it. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { findLinkOwner, redeemLink, type LinkOwner } from '../sign-in/one-time-link.ts';
import { hashPassword, passwordProblem } from '../sign-in/passwords.ts';
import { formBody } from './form-body.ts';
import { html, page, send, type Html } from './page.ts';
import type { PageContext } from './sign-in-page.ts';

export async function setPasswordPage(
  context: PageContext,
  token: string,
  req: IncomingMessage,
  res: ServerResponse,
  address: string | undefined,
): Promise<void> {
  const owner = await findLinkOwner(context.db, token);
  if (!owner) return send(res, 410, expiredPage());
  if (req.method !== 'POST') return send(res, 200, form(owner));
  const body = await formBody(req);
  const password = body?.get('password') ?? '';
  const problem =
    passwordProblem(password, owner.userName) ?? (password === body?.get('repeated') ? undefined : 'The two passwords are not the same.');
  if (problem) return send(res, 422, form(owner, problem));
  const used = await redeemLink(context.db, token, owner, await hashPassword(password), { correlationId: randomUUID(), address });
  if (!used) return send(res, 410, expiredPage());
  return send(res, 303, '', { location: `${context.publicUrl}/user/login` });
}

function form(owner: LinkOwner, error?: string): string {
  return page(
    'Choose a password',
    html` <p>For ${owner.userName}. At least 12 characters; a few unrelated words do well.</p>
      ${passwordFields(owner.userName, error, 'Set password')}`,
  );
}

/** A form for a new password, typed twice. */
export function passwordFields(userName: string, error: string | undefined, button: string): Html {
  const wrong = error ? { html: ' aria-invalid="true" aria-describedby="error"' } : undefined;
  return html`${error ? html`<p class="error" id="error" role="alert">${error}</p>` : undefined}
    <form method="post">
      <input type="text" name="userName" value="${userName}" autocomplete="username" hidden />
      <div class="field">
        <label for="password">New password</label
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
        <label for="repeated">New password again</label
        ><input id="repeated" name="repeated" type="password" autocomplete="new-password" minlength="12" maxlength="256" required${wrong} />
      </div>
      <button type="submit">${button}</button>
    </form>`;
}

function expiredPage(): string {
  return page(
    'This link is no longer good',
    html` <p>
        A link can be used once, within one hour. Ask an administrator for a new one; on the server,
        <code>npm run admin -- person link USER</code> makes one.
      </p>
      <a class="button" href="/user/login">Sign in</a>`,
  );
}
