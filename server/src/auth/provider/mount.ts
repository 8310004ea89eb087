/** The embedded identity provider as a handler of Node requests under `/idp`. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { loopbackRedirect } from '../loopback.ts';
import { forgetOldChallenges } from '../sign-in/passkeys.ts';
import { forgetOldAttempts } from '../sign-in/sign-in-attempts.ts';
import type { TokenIssuer } from '../token-issuer.ts';
import { forgetExpiredItems } from './adapter.ts';
import type { BuiltProvider, ProviderOptions } from './build.ts';
import { openKeyring } from './keyring.ts';
import { signingAlgorithm } from './keys.ts';
import { assets, html, page, send } from './page.ts';
import { languageOf } from '../../platform/language.ts';
import { signInTextsIn, type SignInTexts } from './texts.ts';

const base = '/idp';

export interface MountedProvider {
  /** Handles requests whose path starts with `/idp/`, with an unread body. `address` is the client's address behind proxies. */
  handler(req: IncomingMessage, res: ServerResponse, address?: string): void;
  /** Loads the library behind the pages, which the first of them would wait for; call it when a sign-in may follow. */
  prepare(): void;
  /** The issuer that checks access tokens: it reads the keys directly, without HTTP. */
  issuer: TokenIssuer;
  close(): Promise<void>;
}

export async function mountProvider(options: ProviderOptions): Promise<MountedProvider> {
  const { log, publicUrl } = options;
  const db = options.database.scoped('all');
  const issuer = `${publicUrl}${base}`;
  // Loading the library takes half a second and fifty megabytes, so it waits until somebody opens the portal, or signs in.
  let building: Promise<BuiltProvider> | undefined;
  // The library takes its keys at construction, so new keys need a new provider.
  const onKeysChange = new Set<() => void>([() => void (building = undefined)]);
  const keyring = await openKeyring({
    database: options.database,
    masterKey: options.masterKey,
    log,
    onChange: () => onKeysChange.forEach((changed) => changed()),
  });
  const built = (): Promise<BuiltProvider> =>
    (building ??= import('./build.ts').then(({ buildProvider }) => buildProvider(db, options, keyring, issuer)));

  async function route(req: IncomingMessage, res: ServerResponse, address: string | undefined): Promise<void> {
    const [path = '/'] = (req.url ?? '/').slice(base.length).split('?');
    const asset = assets.get(path);
    if (asset) return send(res, 200, asset.text, { 'content-type': asset.type, 'cache-control': 'public, max-age=3600' });
    const elsewhere =
      req.method === 'GET' && /^\/(?:auth|account|set-password|invitation)\b/.test(path)
        ? loopbackRedirect(publicUrl, req.headers.host, req.url ?? '')
        : undefined;
    if (elsewhere !== undefined) return send(res, 303, '', { location: elsewhere });
    present(req, publicUrl, address);
    const provider = await built();
    if (/^\/interaction\/[\w-]+$/.test(path)) return provider.signIn(req, res, address);
    if (/^\/interaction\/[\w-]+\/passkey$/.test(path) && req.method === 'POST') return provider.passkeyOptions(req, res);
    const [, uid, directory] = /^\/interaction\/([\w-]+)\/directory(?:\/([\w-]+))?$/.exec(path) ?? [];
    if (uid !== undefined && req.method === 'GET')
      return directory === undefined ? provider.fromDirectory(queryOf(req), req, res, address) : provider.toDirectory(directory, req, res);
    if (path === '/directory/callback') return backToInteraction(req, res);
    const step = /^\/account(\/[\w/-]*)?$/.exec(path);
    if (step) return provider.account(step[1] ?? '', req, res, address);
    const link = /^\/set-password\/([\w-]+)$/.exec(path)?.[1];
    if (link !== undefined) return provider.setPassword(link, req, res, address);
    const invitation = /^\/invitation\/([\w-]+)$/.exec(path)?.[1];
    if (invitation !== undefined) return provider.invitation(invitation, req, res, address);
    // The provider library derives its mount path by comparing `originalUrl` with `url`.
    Object.assign(req, { originalUrl: req.url });
    req.url = (req.url ?? '').slice(base.length) || '/';
    provider.answer(req, res);
  }

  const timer = setInterval(() => {
    Promise.all([forgetExpiredItems(db), forgetOldAttempts(db), forgetOldChallenges(db), keyring.rotateWhenDue()]).catch((error: unknown) =>
      log.warn({ err: error }, 'The identity provider could not be tidied up.'),
    );
  }, 600_000);
  timer.unref();

  return {
    prepare: () => void built().catch((error: unknown) => log.error({ err: error }, 'The identity provider cannot be started.')),
    handler: (req, res, address = req.socket.remoteAddress) => {
      route(req, res, address).catch((error: unknown) => {
        log.error({ err: error }, 'A page of the identity provider failed.');
        if (res.headersSent) res.destroy();
        else send(res, 503, failedPage(signInTextsIn(languageOf(req.headers))));
      });
    },
    issuer: {
      issuer,
      audience: options.audience,
      algorithms: [signingAlgorithm],
      typ: 'at+jwt',
      groupsClaim: 'groups',
      keys: keyring.find,
      onKeysChange: (changed) => void onKeysChange.add(changed),
      embedded: true,
    },
    close: () => {
      clearInterval(timer);
      return keyring.close();
    },
  };
}

const queryOf = (req: IncomingMessage): URLSearchParams => new URLSearchParams((req.url ?? '').split('?')[1] ?? '');

/** A provider sends people back to one address; the cookie of their sign-in is sent only to its page, which the state names. */
function backToInteraction(req: IncomingMessage, res: ServerResponse): void {
  const query = queryOf(req);
  const [uid = ''] = (query.get('state') ?? '').split('.');
  send(res, 303, '', { location: /^[\w-]+$/.test(uid) ? `${base}/interaction/${uid}/directory?${query}` : '/' });
}

function failedPage({ lang, error, back }: SignInTexts): string {
  return page(
    lang,
    error.title,
    html`<p>${error.text}</p>
      <a class="button" href="/">${back}</a>`,
  );
}

/** Sets the headers from which the provider builds addresses, so that all start with PUBLIC_URL, whatever a proxy says. */
function present(req: IncomingMessage, publicUrl: string, address: string | undefined): void {
  const { host, protocol } = new URL(publicUrl);
  req.headers.host = host;
  req.headers['x-forwarded-host'] = host;
  req.headers['x-forwarded-proto'] = protocol.slice(0, -1);
  if (address === undefined) delete req.headers['x-forwarded-for'];
  else req.headers['x-forwarded-for'] = address;
}
