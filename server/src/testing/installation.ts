/** Whole servers with the real sign-in on one real database, for tests of signing in and out. */
import { randomBytes } from 'node:crypto';
import pino from 'pino';
import { actions } from '../app/actions.ts';
import { directoryParts } from '../app/directories.ts';
import { queueSignInMail } from '../app/sign-in-mail.ts';
import { served } from '../app/served.ts';
import { createAuthenticator } from '../auth/authenticate.ts';
import { createDeviceTokens } from '../auth/device-tokens.ts';
import { openFeedLinks } from '../platform/feeds/feed-links.ts';
import { openCalendarLinks } from '../platform/calendar-links.ts';
import { openAckLinks } from '../platform/ack-links.ts';
import { openContactLinks } from '../platform/contact-links.ts';
import { openHopCounts } from '../context/hop-count.ts';
import { masterKeyOf, type MasterKey } from '../auth/master-key.ts';
import { loadPackageKey } from '../auth/package-key.ts';
import { setPassword } from '../auth/sign-in/one-time-link.ts';
import { hashPassword } from '../auth/sign-in/passwords.ts';
import { mountProvider } from '../auth/provider/mount.ts';
import { ensureShippedSets } from '../auth/shipped.ts';
import { systemCtx } from '../auth/system-ctx.ts';
import { openTenantSecrets } from '../auth/tenant-secrets.ts';
import type { Ctx } from '../context/ctx.ts';
import { openDatabase } from '../db/connection.ts';
import { createChangeFeed } from '../http/change-feed.ts';
import { liveCall } from '../http/live.ts';
import { withDescription } from '../http/metadata/calls.ts';
import { rawRoutes } from '../http/raw-calls.ts';
import { openSignIn } from '../features/devices/agent/sign-in.ts';
import { linkedUnits } from '../features/work-units/acknowledge-link.ts';
import { createHttpServer } from '../http/server.ts';
import { registerServed } from '../resources/served.ts';
import { freePort } from './server-process.ts';
import { testDatabase } from './database.ts';
import { noRuns } from './world.ts';
import { unusedWatch } from './unused-watch.ts';

export const password = 'violet tractor lantern';

interface InstallationReply {
  status: number;
  body: Record<string, unknown> & { value?: Record<string, unknown>[]; error?: { message: string; target?: string } };
}

interface OpenStream {
  text(): string;
  /** Resolves when the server has closed the stream. */
  ended: Promise<void>;
  stop(): void;
}

export interface Installation {
  /** Address of the first server, which is also PUBLIC_URL. */
  publicUrl: string;
  system: Ctx;
  masterKey: MasterKey;
  tenant(name: string): Promise<string>;
  /** Creates a person with the exported `password`; `set` is the id of a permission set, `tenantId` null means all tenants. */
  person(userName: string, grant?: { set: string; tenantId: string | null }): Promise<string>;
  call(token: string, method: string, path: string, body?: unknown, server?: number): Promise<InstallationReply>;
  stream(token: string, server?: number): Promise<OpenStream>;
  close(): Promise<void>;
}

/** Starts servers that each have a pool and caches. The servers take a client's address from `X-Forwarded-For`. */
export async function startInstallation(servers = 1): Promise<Installation> {
  const log = pino({ level: process.env['TEST_LOG'] ?? 'silent' });
  const test = await testDatabase();
  const masterKey = masterKeyOf([randomBytes(32).toString('base64')]);
  const publicUrl = `http://localhost:${await freePort()}`;
  const roots: string[] = [];
  const stops: (() => Promise<unknown> | void)[] = [];
  const setUpDatabase = openDatabase({ url: test.url, max: 3, onError: () => undefined });
  const system = systemCtx({ database: setUpDatabase, log, name: 'test' });
  await registerServed(setUpDatabase, served);
  await ensureShippedSets(system.db);

  for (let i = 0; i < servers; i++) {
    const database = openDatabase({ url: test.url, max: 6, onError: () => undefined });
    const provider = await mountProvider({
      database,
      masterKey,
      log,
      publicUrl,
      audience: 'cloudfit',
      clientId: 'cloudfit-portal',
      queueMail: queueSignInMail,
      outboundAllow: ['127.0.0.1', 'localhost'],
    });
    const deviceTokens = createDeviceTokens(database, masterKey);
    const packageKey = await loadPackageKey(database.scoped('all'), masterKey);
    const authenticator = await createAuthenticator({ database, issuer: provider.issuer, deviceTokens, log });
    const feed = await createChangeFeed(database, log);
    const live = liveCall(feed, authenticator);
    const unused = () => Promise.reject(new Error('Not called here.'));
    const raw = rawRoutes({
      ingest: unused,
      watch: unusedWatch,
      stream: live.call,
      signIn: openSignIn({ database, deviceTokens, packageKey, log }),
      files: {} as never,
    });
    const ackLinks = openAckLinks(masterKey, publicUrl);
    const all = actions({
      oidc: { authority: `${publicUrl}/idp`, clientId: 'cloudfit-portal', lifetime: 600, scope: 'openid', extraQueryParams: {} },
      version: '0.0.0',
      environment: { name: 'Test', color: 'green' },
      secrets: openTenantSecrets(masterKey),
      mailServerIsSet: true,
      ackLinks,
      contactLinks: openContactLinks(masterKey, publicUrl),
      calendarLinks: openCalendarLinks(masterKey, publicUrl),
      feedLinks: openFeedLinks(masterKey, publicUrl),
      packageKeys: [packageKey.publicKey],
      pushKey: '',
      installationWork: noRuns,
      seriesRetention: { packetDays: 30, minuteDays: 30, hourDays: 730 },
      database,
      publicUrl,
      rules: unused,
      directories: directoryParts({ masterKey, publicUrl, allow: ['127.0.0.1', 'localhost'] }),
      mailboxes: {} as never,
    });
    const app = await createHttpServer({
      log,
      database,
      publicUrl,
      trustProxy: true,
      idp: provider.handler,
      ack: { links: ackLinks, units: linkedUnits({ database, log }) },
      portal: { folder: '/nowhere', authority: `${publicUrl}/idp` },
      api: {
        hopCounts: openHopCounts(masterKey),
        authenticator,
        database,
        publicUrl,
        ...withDescription(all, raw, { publicUrl, version: '0.0.0' }),
      },
    });
    roots.push(await app.listen({ port: i === 0 ? Number(new URL(publicUrl).port) : 0, host: '127.0.0.1' }));
    stops.unshift(
      () => live.close(),
      () => app.server.closeAllConnections(),
      () => app.close(),
      () => feed.close(),
      () => authenticator.close(),
      () => provider.close(),
      () => database.close(),
    );
  }

  return {
    publicUrl,
    system,
    masterKey,
    tenant: async (name) => {
      const [row] = await system.db.query<{ id: string }>({
        text: 'insert into tenant (name) values ($1) returning tenant_id as id',
        values: [name],
      });
      return String(row?.id);
    },
    person: async (userName, grant) => {
      const [row] = await system.db.query<{ id: string }>({
        text: 'insert into person (name, user_name, email, email_verified) values ($1, $2, $2, true) returning person_id as id',
        values: [userName.split('@')[0], userName],
      });
      const personId = String(row?.id);
      await setPassword(system.db, personId, await hashPassword(password));
      if (grant)
        await system.db.query({
          text: 'insert into access_grant (person_id, permission_set_id, tenant_id) values ($1, $2, $3)',
          values: [personId, grant.set, grant.tenantId],
        });
      return personId;
    },
    call: async (token, method, path, body, server = 0) => {
      const response = await fetch(`${roots[server]}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, body: (text.startsWith('{') ? JSON.parse(text) : {}) as InstallationReply['body'] };
    },
    stream: async (token, server = 0) => {
      const stopping = new AbortController();
      const response = await fetch(`${roots[server]}/v1/changes`, {
        headers: { authorization: `Bearer ${token}` },
        signal: stopping.signal,
      });
      if (response.status !== 200) throw new Error(`The stream answered ${response.status}.`);
      let text = '';
      const ended = (async () => {
        for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) text += part;
      })().catch(() => undefined);
      return { text: () => text, ended, stop: () => stopping.abort() };
    },
    close: async () => {
      for (const stop of stops) await stop();
      await setUpDatabase.close();
      await test.close();
    },
  };
}
