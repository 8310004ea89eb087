/** The page behind the link of an invitation: people without an account choose a password; people with an account accept. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { acceptInvitation, findInvitation, invitationDays, type OpenInvitation } from '../sign-in/invitation.ts';
import { hashPassword } from '../sign-in/passwords.ts';
import { formBody } from './form-body.ts';
import { languageOf } from '../../platform/language.ts';
import { html, page, send, type Html } from './page.ts';
import { newPasswordProblem, passwordFields } from './set-password-page.ts';
import type { PageContext } from './interaction.ts';
import { signInTextsIn, type SignInTexts } from './texts.ts';

export async function invitationPage(
  context: PageContext,
  token: string,
  req: IncomingMessage,
  res: ServerResponse,
  address: string | undefined,
): Promise<void> {
  const texts = signInTextsIn(languageOf(req.headers));
  const invitation = await findInvitation(context.db, token);
  if (!invitation) return send(res, 410, expiredPage(texts));
  if (req.method !== 'POST') return send(res, 200, form(texts, invitation));
  const body = await formBody(req);
  const password = body?.get('password') ?? '';
  const isNew = invitation.personId === null;
  const problem = isNew ? newPasswordProblem(texts, password, body?.get('repeated'), invitation.email) : undefined;
  if (problem) return send(res, 422, form(texts, invitation, problem));
  const accepted = await acceptInvitation(context.db, invitation, isNew ? await hashPassword(password) : undefined, address);
  if (!accepted) return send(res, 410, expiredPage(texts));
  return send(res, 303, '', { location: `${context.publicUrl}/user/login` });
}

function form(texts: SignInTexts, invitation: OpenInvitation, error?: string): string {
  const { name, email, invitedBy, permissionSet, tenantName, personId, others } = invitation;
  const { title, intro, known: hasAccount, accept, choose, submit } = texts.invitation;
  const further = others.length > 0 ? html`<p>${texts.invitation.also(others)}</p>` : undefined;
  const fields: Html = personId
    ? html`<p>${hasAccount(email)}</p>
        <form method="post"><button type="submit">${accept}</button></form>`
    : html`<p>${choose(email)}</p>
        ${passwordFields(texts, email, error, submit)}`;
  return page(
    texts.lang,
    title,
    html`<p>${intro(name, invitedBy, tenantName, permissionSet)}</p>
      ${further} ${fields}`,
  );
}

function expiredPage({ lang, invitation, signIn }: SignInTexts): string {
  return page(
    lang,
    invitation.expired,
    html`<p>${invitation.expiredText(invitationDays)}</p>
      <a class="button" href="/user/login">${signIn.submit}</a>`,
  );
}
