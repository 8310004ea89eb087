/** The page behind the link of an invitation: people without an account choose a password; people with an account accept. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { acceptInvitation, findInvitation, invitationDays, type OpenInvitation } from '../sign-in/invitation.ts';
import { hashPassword, passwordProblem } from '../sign-in/passwords.ts';
import { formBody } from './form-body.ts';
import { html, page, send, type Html } from './page.ts';
import { passwordFields } from './set-password-page.ts';
import type { PageContext } from './sign-in-page.ts';

export async function invitationPage(
  context: PageContext,
  token: string,
  req: IncomingMessage,
  res: ServerResponse,
  address: string | undefined,
): Promise<void> {
  const invitation = await findInvitation(context.db, token);
  if (!invitation) return send(res, 410, expiredPage());
  if (req.method !== 'POST') return send(res, 200, form(invitation));
  const body = await formBody(req);
  const password = body?.get('password') ?? '';
  const isNew = invitation.personId === null;
  const problem = isNew
    ? (passwordProblem(password, invitation.email) ??
      (password === body?.get('repeated') ? undefined : 'The two passwords are not the same.'))
    : undefined;
  if (problem) return send(res, 422, form(invitation, problem));
  const accepted = await acceptInvitation(context.db, invitation, isNew ? await hashPassword(password) : undefined, address);
  if (!accepted) return send(res, 410, expiredPage());
  return send(res, 303, '', { location: `${context.publicUrl}/user/login` });
}

function form(invitation: OpenInvitation, error?: string): string {
  const { name, email, invitedBy, permissionSet, tenantName, personId } = invitation;
  const intro = html`<p>${name}, ${invitedBy} gives you access to ${tenantName ?? 'all tenants'} as ${permissionSet}.</p>`;
  const fields: Html = personId
    ? html`<p>You have an account already and sign in as ${email}.</p>
        <form method="post"><button type="submit">Accept</button></form>`
    : html`<p>Choose a password for ${email}. At least 12 characters; a few unrelated words do well.</p>
        ${passwordFields(email, error, 'Set password and accept')}`;
  return page('You are invited to CloudFit', html`${intro} ${fields}`);
}

function expiredPage(): string {
  return page(
    'This invitation is no longer good',
    html`<p>
        An invitation can be accepted once, within ${invitationDays} days, unless it was withdrawn. Ask whoever invited you for a new one.
      </p>
      <a class="button" href="/user/login">Sign in</a>`,
  );
}
