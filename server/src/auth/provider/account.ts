/** The page on which people change their sign-in: password, passkeys, one-time codes and sessions. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RegistrationResponseJSON } from '@simplewebauthn/server';
import { oneLine, startOf } from '@cloudfit/contract/one-line.ts';
import type { Db } from '../../db/db.ts';
import { recordAboutPerson } from '../audit-entry.ts';
import { isGuid } from '../guid.ts';
import { setPassword } from '../sign-in/one-time-link.ts';
import { addPasskey, listPasskeys, registrationOptions, removePasskey } from '../sign-in/passkeys.ts';
import { hashPassword } from '../sign-in/passwords.ts';
import { secondFactorOf } from '../sign-in/second-factor.ts';
import { notifyOfChange } from '../sign-in/sign-in-devices.ts';
import { beginTotp, confirmTotp, removeTotp, renewRecoveryCodes, totpState, totpToScan } from '../sign-in/totp.ts';
import { endSessionOf, endSessions, listSessions } from '../sessions.ts';
import { accountPage, doneSteps, type AccountForm, type AccountView, type DoneStep } from './account-page.ts';
import { checkPassword, refusalText, type Refusal } from './check-sign-in.ts';
import { accountClientId } from './configuration.ts';
import { formBody, jsonObject } from './form-body.ts';
import { html, page, send, sendJson } from './page.ts';
import { readerOfPage, type TextReader } from '../../platform/language.ts';
import { localeOf } from '../../context/locale.ts';
import { newPasswordProblem } from './set-password-page.ts';
import { signInTextsIn, type SignInTexts } from './texts.ts';
import type { PageContext } from './interaction.ts';

export interface AccountContext extends PageContext {
  clientId: string;
}

/** A request to the account page, in the language of its person. */
interface AccountCall extends AccountContext {
  reader: TextReader;
  texts: SignInTexts;
}

interface Owner {
  personId: string;
  name: string;
  userName: string;
  /** The session of the browser that sends the request. */
  session: string;
}

interface FormError {
  form: AccountForm;
  status: number;
  error: string;
}

/** Answers a request to the account page; `step` is the path after `/idp/account`. */
export async function account(
  called: AccountContext,
  step: string,
  req: IncomingMessage,
  res: ServerResponse,
  address: string | undefined,
): Promise<void> {
  const owner = await signedIn(called, req, res);
  const reader = readerOfPage(req.headers, await localeOf(called.db, owner?.personId));
  const texts = signInTextsIn(reader.language);
  const context: AccountCall = { ...called, reader, texts };
  const { foreign, missing, title } = texts.account;
  const isPost = req.method === 'POST';
  if (isPost && isForeign(req, context)) return send(res, 403, page(texts.lang, foreign.title, html`<p>${foreign.text}</p>`));
  if (!owner) {
    if (step === '/passkeys/options') return sendJson(res, 401, { error: texts.errors.ended });
    return send(res, 303, '', { location: signInAddress(context) });
  }
  if (!isPost) return show(context, owner, res, { done: doneIn(req) });
  const body = (await formBody(req)) ?? new URLSearchParams();
  if (step === '/passkeys/options') return passkeyOptions(context, owner, body, res, address);
  const change = changes[step];
  if (!change) return send(res, 404, page(texts.lang, missing, html`<a class="button" href="/idp/account">${title}</a>`));
  const outcome = await change(context, owner, body, address);
  if (typeof outcome === 'object') return show(context, owner, res, outcome);
  return send(res, 303, '', { location: `${context.publicUrl}/idp/account?done=${outcome}` });
}

type AccountNotice = Partial<FormError> & Pick<AccountView, 'done' | 'recoveryCodes'> & { isSettingUp?: boolean };

async function show(context: AccountCall, owner: Owner, res: ServerResponse, { isSettingUp, ...notice }: AccountNotice) {
  const { db } = context;
  const [passkeys, sessions, totp] = await Promise.all([
    listPasskeys(db, owner.personId),
    listSessions(db, owner.personId),
    totpState(db, owner.personId),
  ]);
  const toScan = isSettingUp ? await totpToScan(db, context.masterKey, owner) : undefined;
  return send(
    res,
    notice.status ?? 200,
    accountPage(context.texts, context.reader, { ...owner, passkeys, sessions, totp, toScan, ...notice }),
  );
}

type AccountChange = (
  context: AccountCall,
  owner: Owner,
  body: URLSearchParams,
  address: string | undefined,
) => Promise<DoneStep | AccountNotice>;

const changes: Readonly<Record<string, AccountChange>> = {
  '/password': changePassword,
  '/passkeys': keepPasskey,
  '/passkeys/remove': dropPasskey,
  '/codes': beginCodes,
  '/codes/confirm': confirmCodes,
  '/codes/change': changeCodes,
  '/sign-out': signOutElsewhere,
  '/sessions/end': endOneSession,
};

async function changePassword(...[context, owner, body, address]: Parameters<AccountChange>): Promise<DoneStep | FormError> {
  const { db } = context;
  const wrong = (status: number, error: string): FormError => ({ form: 'password', status, error });
  const checked = await checkPassword(db, owner.userName, body.get('current') ?? '', address);
  if ('error' in checked) return wrong(checked.status, presentPasswordText(context, checked));
  const password = body.get('password') ?? '';
  const problem = newPasswordProblem(context.texts, password, body.get('repeated'), owner.userName);
  if (problem) return wrong(422, problem);
  const hash = await hashPassword(password);
  await db.transaction(async (tx) => {
    await setPassword(tx, owner.personId, hash, owner.session);
    await record(tx, owner, 'set-password', address);
  });
  return 'password';
}

const presentPasswordText = ({ texts }: AccountCall, refusal: Refusal): string =>
  refusal.error === 'wrong' ? texts.errors.presentPassword : refusalText(texts, refusal);

/**
 * Sends the options for a new passkey, after a check of the password: whoever gets access to a signed-in browser must
 * not be able to add a passkey of their own.
 */
async function passkeyOptions(
  context: AccountCall,
  owner: Owner,
  body: URLSearchParams,
  res: ServerResponse,
  address: string | undefined,
): Promise<void> {
  const checked = await checkPassword(context.db, owner.userName, body.get('current') ?? '', address);
  if ('error' in checked) return sendJson(res, checked.status, { error: presentPasswordText(context, checked) });
  return sendJson(res, 200, await registrationOptions(context.db, context, owner, challengePage(owner)));
}

async function keepPasskey(...[context, owner, body, address]: Parameters<AccountChange>): Promise<DoneStep | FormError> {
  const name = startOf(oneLine(body.get('name') ?? ''), 80) || 'Passkey';
  const response = jsonObject<RegistrationResponseJSON>(body.get('passkey'));
  const added = response && (await addPasskey(context.db, context, owner.personId, challengePage(owner), name, response));
  if (!added) return { form: 'passkey', status: 422, error: context.texts.errors.passkey };
  await record(context.db, owner, 'add-passkey', address, { passkeyId: added, name });
  await notifyOfChange(context.db, owner.personId, context.queueMail, 'passkeyAdded');
  return 'passkey';
}

/** Removes a passkey, after a check of the password: whoever finds a signed-in browser must not weaken the sign-in. */
async function dropPasskey(...[context, owner, body, address]: Parameters<AccountChange>): Promise<DoneStep | FormError> {
  const wrong = await passwordError('passkey', context, owner, body, address);
  if (wrong) return wrong;
  const passkeyId = body.get('passkeyId') ?? '';
  const [last, ...others] = await listPasskeys(context.db, owner.personId);
  const { isDemanded, hasCodes } = await secondFactorOf(context.db, owner.personId);
  if (others.length === 0 && last?.passkeyId === passkeyId && isDemanded && !hasCodes)
    return { form: 'passkey', status: 422, error: context.texts.errors.lastPasskey };
  const name = isGuid(passkeyId) ? await removePasskey(context.db, owner.personId, passkeyId) : undefined;
  if (name !== undefined) {
    await record(context.db, owner, 'remove-passkey', address, { passkeyId, name });
    await notifyOfChange(context.db, owner.personId, context.queueMail, 'passkeyRemoved');
  }
  return 'removed';
}

/** Creates the secret of a new authenticator app, after a check of the password. */
async function beginCodes(...[context, owner, body, address]: Parameters<AccountChange>): Promise<DoneStep | AccountNotice> {
  const wrong = await passwordError('codes', context, owner, body, address);
  if (wrong) return wrong;
  await beginTotp(context.db, context.masterKey, owner.personId);
  return { isSettingUp: true };
}

async function confirmCodes(...[context, owner, body, address]: Parameters<AccountChange>): Promise<DoneStep | AccountNotice> {
  const recoveryCodes = await context.db.transaction(async (tx) => {
    const codes = await confirmTotp(tx, context.masterKey, owner.personId, body.get('code') ?? '');
    if (!codes) return undefined;
    await record(tx, owner, 'add-codes', address);
    await notifyOfChange(tx, owner.personId, context.queueMail, 'codesAdded');
    return codes;
  });
  if (recoveryCodes) return { recoveryCodes };
  return { form: 'codes', status: 422, error: context.texts.errors.wrongFirstCode, isSettingUp: true };
}

async function changeCodes(...[context, owner, body, address]: Parameters<AccountChange>): Promise<DoneStep | AccountNotice> {
  const { db } = context;
  const wrong = await passwordError('codes', context, owner, body, address);
  if (wrong) return wrong;
  if (body.get('change') === 'renew') {
    const recoveryCodes = await db.transaction(async (tx) => {
      await record(tx, owner, 'renew-recovery-codes', address);
      return renewRecoveryCodes(tx, owner.personId);
    });
    return { recoveryCodes };
  }
  const { isDemanded, hasPasskey } = await secondFactorOf(db, owner.personId);
  if (isDemanded && !hasPasskey) return { form: 'codes', status: 422, error: context.texts.errors.lastApp };
  await db.transaction(async (tx) => {
    if (!(await removeTotp(tx, owner.personId))) return;
    await record(tx, owner, 'remove-codes', address);
    await notifyOfChange(tx, owner.personId, context.queueMail, 'codesRemoved');
  });
  return 'codes-removed';
}

async function passwordError(
  form: AccountForm,
  ...[context, owner, body, address]: Parameters<AccountChange>
): Promise<FormError | undefined> {
  const checked = await checkPassword(context.db, owner.userName, body.get('current') ?? '', address);
  if (!('error' in checked)) return undefined;
  const { texts } = context;
  return { form, status: checked.status, error: checked.error === 'wrong' ? texts.errors.password : refusalText(texts, checked) };
}

async function signOutElsewhere(...[context, owner, , address]: Parameters<AccountChange>): Promise<DoneStep | FormError> {
  await context.db.transaction(async (tx) => {
    const sessions = await endSessions(tx, owner.personId, owner.session);
    await record(tx, owner, 'sign-out-elsewhere', address, { sessions });
  });
  return 'signed-out';
}

async function endOneSession(...[context, owner, body, address]: Parameters<AccountChange>): Promise<DoneStep | FormError> {
  const uid = body.get('session') ?? '';
  await context.db.transaction(async (tx) => {
    if (await endSessionOf(tx, owner.personId, uid)) await record(tx, owner, 'sign-out-elsewhere', address, { sessions: 1 });
  });
  return 'ended';
}

const challengePage = (owner: Owner) => `account ${owner.session}`;

async function signedIn({ db, provider }: PageContext, req: IncomingMessage, res: ServerResponse): Promise<Owner | undefined> {
  const session = await provider.Session.get(provider.createContext(req, res));
  if (!session.accountId || !isGuid(session.accountId)) return undefined;
  const [row] = await db.query<{ name: string; user_name: string }>({
    text: 'select name, user_name from person where person_id = $1 and enabled',
    values: [session.accountId],
  });
  return row && { personId: session.accountId, name: row.name, userName: row.user_name, session: session.uid };
}

/**
 * Returns whether a form came from another origin: same-site cookies are also sent with forms of other hosts of the site. Older
 * browsers say so by `Origin` alone.
 */
function isForeign({ headers }: IncomingMessage, { publicUrl }: AccountContext): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site !== 'same-origin';
  return headers.origin !== undefined && headers.origin !== new URL(publicUrl).origin;
}

/** Returns the address that signs in and returns to the account page. No tokens are issued; only the session is needed. */
function signInAddress({ publicUrl, clientId }: AccountContext): string {
  const query = new URLSearchParams({
    client_id: accountClientId(clientId),
    response_type: 'none',
    scope: 'openid',
    redirect_uri: `${publicUrl}/idp/account`,
  });
  return `${publicUrl}/idp/auth?${query}`;
}

function doneIn(req: IncomingMessage): DoneStep | undefined {
  const done = new URL(req.url ?? '/', 'http://localhost').searchParams.get('done');
  return doneSteps.find((doneStep) => doneStep === done);
}

async function record(db: Db, owner: Owner, verb: string, address: string | undefined, after?: object): Promise<void> {
  await recordAboutPerson(db, owner.personId, {
    actor: { kind: 'person', id: owner.personId, name: owner.userName },
    verb,
    entity: 'people',
    entityId: owner.personId,
    ...(after ? { after } : {}),
    correlationId: randomUUID(),
    address,
  });
}
