/** The sign-in page (password or passkey) and its further steps. At the end, the client's authorization request continues. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { oneLine, startOf } from '@cloudfit/contract/one-line.ts';
import { languageOf } from '../../platform/language.ts';
import { recordAboutPerson } from '../audit-entry.ts';
import { beginTotp, confirmTotp, totpToScan } from '../sign-in/totp.ts';
import { addPasskey, registrationOptions, signInOptions } from '../sign-in/passkeys.ts';
import { notifyOfChange } from '../sign-in/sign-in-devices.ts';
import { checkCode, recordSignIn, refusalText, signInWithPasskey, signInWithPassword } from './check-sign-in.ts';
import { enterDirectory } from './directory-pages.ts';
import { signInDirectories } from '../directories/open-directory.ts';
import { placeOf } from './directory-sign-in.ts';
import { codeField, recoveryCodeList, scanSection } from './code-parts.ts';
import { formBody, jsonObject } from './form-body.ts';
import {
  expiredPage,
  findInteraction,
  finish,
  nextStep,
  originOf,
  stepOf,
  type Enrolment,
  type PageContext,
  type SignInCall,
} from './interaction.ts';
import { html, page, send, sendJson, type Html } from './page.ts';
import { elsewherePage, passkeyForm, signInForm } from './sign-in-form.ts';
import { signInTextsIn, type SignInTexts } from './texts.ts';

const challengePage = (interaction: string) => `sign-in ${interaction}`;

export async function signInPage(
  context: PageContext,
  req: IncomingMessage,
  res: ServerResponse,
  address: string | undefined,
): Promise<void> {
  const { db, provider } = context;
  const texts = signInTextsIn(languageOf(req.headers));
  const interaction = await findInteraction(provider, req, res);
  if (!interaction) return send(res, 400, expiredPage(texts));
  // The portal is our own client, so no consent is needed.
  if (interaction.prompt.name !== 'login')
    return provider.interactionFinished(req, res, { consent: {} }, { mergeWithLastSubmission: true });
  const { enrol, verify, ready } = stepOf(interaction);
  if (req.method !== 'POST') {
    if (verify) return send(res, 200, codePage(texts, interaction.uid));
    if (ready) return send(res, 200, readyPage(texts));
    return send(
      res,
      200,
      enrol ? await enrolPage(context, texts, interaction.uid, enrol) : signInForm(texts, interaction.uid, await signInDirectories(db), ''),
    );
  }
  const body = (await formBody(req)) ?? new URLSearchParams();
  const origin = originOf(context, req, address);
  const call: SignInCall = { context, texts, interaction, body, req, res, origin };
  if (enrol && body.has('name') && !enrol.byDirectory) return finishEnrolment(call, enrol);
  if (enrol && body.has('code')) return confirmFirstCode(call, enrol);
  if (ready && body.has('continue')) {
    const device = await recordSignIn(db, ready, 'password and new code', origin);
    return finish(context, req, res, { personId: ready.personId, device }, ['pwd', 'otp']);
  }
  if (verify && body.has('code')) return verifyCode(call, verify);
  const userName = body.get('userName')?.trim().slice(0, 320) ?? '';
  const passkey = jsonObject<AuthenticationResponseJSON>(body.get('passkey'));
  const directories = await signInDirectories(db);
  if (!passkey) {
    const place = await placeOf(db, userName, directories);
    if ('directory' in place && place.directory.kind === 'Oidc')
      return send(res, 200, elsewherePage(texts, interaction.uid, place.directory));
    if ('directory' in place || 'unclear' in place) return enterDirectory(call, place, userName, directories);
  }
  const outcome = passkey
    ? await signInWithPasskey(db, context, challengePage(interaction.uid), passkey, origin)
    : await signInWithPassword(db, userName, body.get('password') ?? '', origin);
  if ('error' in outcome)
    return send(
      res,
      outcome.status,
      signInForm(texts, interaction.uid, directories, userName, refusalText(texts, outcome), !passkey),
      outcome.headers,
    );
  if ('enrol' in outcome) {
    const person = await nextStep(interaction, 'enrol', outcome.enrol);
    await beginTotp(db, context.masterKey, person.personId);
    return send(res, 200, await enrolPage(context, texts, interaction.uid, person));
  }
  if ('verify' in outcome) {
    await nextStep(interaction, 'verify', outcome.verify);
    return send(res, 200, codePage(texts, interaction.uid));
  }
  return finish(context, req, res, outcome, [passkey ? 'pop' : 'pwd']);
}

const enrolChallenge = (interaction: string) => `enrol ${interaction}`;

/** Checks the code of the app, or a recovery code, after a correct password. */
async function verifyCode({ context, texts, interaction, body, req, res, origin }: SignInCall, person: Enrolment): Promise<void> {
  const checked = await checkCode(context.db, context.masterKey, person, String(body.get('code')).slice(0, 100), origin.address);
  if ('error' in checked) return send(res, checked.status, codePage(texts, interaction.uid, refusalText(texts, checked)), checked.headers);
  const device = await recordSignIn(context.db, person, `password and ${checked.used}`, origin);
  return finish(context, req, res, { personId: person.personId, device }, ['pwd', 'otp']);
}

/** Checks the first code of a new app, in a sign-in that needs a second factor. */
async function confirmFirstCode({ context, texts, interaction, body, res, origin }: SignInCall, person: Enrolment): Promise<void> {
  const { db, masterKey } = context;
  const codes = await db.transaction(async (tx) => {
    const confirmed = await confirmTotp(tx, masterKey, person.personId, body.get('code') ?? '');
    if (!confirmed) return undefined;
    await recordAboutPerson(tx, person.personId, {
      actor: { kind: 'person', id: person.personId, name: person.userName },
      verb: 'add-codes',
      entity: 'people',
      entityId: person.personId,
      correlationId: randomUUID(),
      address: origin.address,
    });
    await notifyOfChange(tx, person.personId, origin.queueMail, 'codesAdded');
    return confirmed;
  });
  if (!codes) return send(res, 422, await enrolPage(context, texts, interaction.uid, person, texts.errors.wrongFirstCode));
  await nextStep(interaction, 'ready', person);
  return send(res, 200, readyPage(texts, codes));
}

function readyPage(texts: SignInTexts, codes?: readonly string[]): string {
  const { ready, proceed } = texts.app;
  return page(
    texts.lang,
    ready,
    html`${codes ? recoveryCodeList(texts, codes) : undefined}
      <form method="post"><input type="hidden" name="continue" value="1" /><button type="submit">${proceed}</button></form>`,
  );
}

function codePage(texts: SignInTexts, interaction: string, error?: string): string {
  const { title, check, code, codeField: label } = texts.step;
  return page(
    texts.lang,
    error ? check : title,
    html`<p>${code}</p>
      ${error ? html`<p class="error" id="error" role="alert">${error}</p>` : undefined}
      <form method="post">${codeField(label, true, error !== undefined)}<button type="submit">${texts.signIn.submit}</button></form>
      ${passkeyForm(texts, interaction)}`,
    { script: 'passkeys.js' },
  );
}

async function finishEnrolment({ context, texts, interaction, body, req, res, origin }: SignInCall, person: Enrolment): Promise<void> {
  const { db } = context;
  const name = startOf(oneLine(body.get('name') ?? ''), 80) || 'Passkey';
  const response = jsonObject<RegistrationResponseJSON>(body.get('passkey'));
  const passkeyId = response && (await addPasskey(db, context, person.personId, enrolChallenge(interaction.uid), name, response));
  if (!passkeyId) return send(res, 422, await enrolPage(context, texts, interaction.uid, person, texts.errors.passkey));
  await recordAboutPerson(db, person.personId, {
    actor: { kind: 'person', id: person.personId, name: person.userName },
    verb: 'add-passkey',
    entity: 'people',
    entityId: person.personId,
    after: { passkeyId, name },
    correlationId: randomUUID(),
    address: origin.address,
  });
  await notifyOfChange(db, person.personId, origin.queueMail, 'passkeyAdded');
  const device = await recordSignIn(db, person, 'password and new passkey', origin);
  return finish(context, req, res, { personId: person.personId, device }, ['pwd', 'pop']);
}

async function enrolPage(
  { db, masterKey }: PageContext,
  texts: SignInTexts,
  interaction: string,
  person: Enrolment,
  error?: string,
): Promise<string> {
  const toScan = await totpToScan(db, masterKey, person);
  const { step, app } = texts;
  return page(
    texts.lang,
    step.title,
    html`<p>${step.enrol}</p>
      ${error ? html`<p class="error" role="alert">${error}</p>` : undefined}
      ${person.byDirectory ? undefined : passkeyEnrolment(texts, interaction)}
      ${
        toScan
          ? html`<section aria-labelledby="codes">
              <h2 id="codes">${app.title}</h2>
              ${scanSection(texts, toScan)}
              <form method="post">${codeField(app.firstCode)}<button type="submit">${app.submit}</button></form>
            </section>`
          : undefined
      }`,
    { script: 'passkeys.js' },
  );
}

/** The form that makes a passkey, which the page's script shows. */
function passkeyEnrolment(texts: SignInTexts, interaction: string): Html {
  const { step, passkeyScript } = texts;
  return html`<form
      method="post"
      data-passkey="create"
      data-options="/idp/interaction/${interaction}/passkey"
      data-failed="${passkeyScript.create}"
      data-known="${passkeyScript.known}"
      hidden
    >
      <p class="error" role="alert" hidden></p>
      <input type="hidden" name="passkey" />
      <div class="field">
        <label for="passkeyName">${step.passkeyName}</label
        ><input id="passkeyName" name="name" type="text" maxlength="80" placeholder="${texts.passkeyExample}" required />
      </div>
      <button type="submit">${step.makePasskey}</button>
    </form>
    <noscript><p class="error">${step.needsScripts}</p></noscript>`;
}

/** Sends the options with which the page's script asks the browser for a passkey. */
export async function passkeySignInOptions(context: PageContext, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const interaction = await findInteraction(context.provider, req, res);
  if (!interaction) return sendJson(res, 400, { error: signInTextsIn(languageOf(req.headers)).errors.expired });
  const person = stepOf(interaction).enrol;
  const options = person
    ? await registrationOptions(context.db, context, person, enrolChallenge(interaction.uid))
    : await signInOptions(context.db, context, challengePage(interaction.uid));
  return sendJson(res, 200, options);
}
