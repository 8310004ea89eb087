/** A whole API on a real database for tests: tenants, people with chosen permissions, calls in their name. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { allPermissions } from '@cloudfit/contract/permissions.ts';
import { actions } from '../app/actions.ts';
import { linkedUnits } from '../features/work-units/acknowledge-link.ts';
import type { Authenticator } from '../auth/authenticate.ts';
import { createDeviceTokens, looksLikeDeviceToken } from '../auth/device-tokens.ts';
import { openSignIn, type SignIn } from '../features/devices/agent/sign-in.ts';
import { setEventKey } from '../features/event-subscriptions/event-secrets.ts';
import { masterKeyOf, type MasterKey } from '../auth/master-key.ts';
import { loadPackageKey } from '../auth/package-key.ts';
import { loadPushKey, type PushKey } from '../auth/push/key.ts';
import { openFeedLinks } from '../platform/feeds/feed-links.ts';
import { openCalendarLinks } from '../platform/calendar-links.ts';
import { openSubscriptionLinks, type SubscriptionLinks } from '../features/status-pages/subscription-links.ts';
import { openAckLinks, type AckLinks } from '../platform/ack-links.ts';
import { openReportLinks } from '../platform/report-links.ts';
import { openDigestLinks } from '../platform/digest-links.ts';
import { openContactLinks } from '../platform/contact-links.ts';
import { openHopCounts, type HopCounts } from '../context/hop-count.ts';
import { openTenantSecrets, type TenantSecrets } from '../auth/tenant-secrets.ts';
import type { Ctx, Permissions } from '../context/ctx.ts';
import { openDatabase, type Database } from '../db/connection.ts';
import type { TenantScope } from '../db/db.ts';
import { withDescription } from '../http/metadata/calls.ts';
import { createHttpServer } from '../http/server.ts';
import type { RawRoute } from '../http/request-steps.ts';
import type { ImplementedAction } from '../resources/action.ts';
import { registerServed } from '../resources/served.ts';
import { served } from '../app/served.ts';
import type { InstallationRuns } from '../features/installation/work.action.ts';
import { openCompiledRules, type CompiledRules } from '../rules/run/compiled-rules.ts';
import { callPolicy, openOutboundHttp } from '../outbound/http.ts';
import { openIngest } from '../ingest/accept.ts';
import { mailTaker, type MailTaker } from '../intake/mail/take-mail.ts';
import { folderStore } from '../features/packages/folder-store.ts';
import type { FileStore } from '../platform/file-store.ts';
import { directoryParts } from '../app/directories.ts';
import { mailboxOpening, mailboxTrial } from '../app/mailboxes.ts';
import { openIntake, type SourceIntake } from '../intake/take.ts';
import { trySourceRoute } from '../http/intake/intake.ts';
import { testDatabase } from './database.ts';

export interface TestCaller {
  permissions: Permissions;
  tenants: TenantScope;
  /** By default a person with a random id. */
  actor?: Ctx['actor'];
}

export interface WorldReply {
  status: number;
  /** The unparsed body. */
  text: string;
  body: Record<string, unknown> & { value?: Record<string, unknown>[] };
  headers: Record<string, unknown>;
}

export interface TestWorld {
  app: FastifyInstance;
  database: Database;
  url: string;
  /** Reads and writes values of tenant secrets with the master key of this world. */
  secrets: TenantSecrets;
  /** Signs and reads hop counts of this world. */
  hopCounts: HopCounts;
  ackLinks: AckLinks;
  subscriptionLinks: SubscriptionLinks;
  masterKey: MasterKey;
  pushKey: PushKey;
  /** Signs agents in: returns access tokens, which calls of this world accept. */
  signIn: SignIn;
  /** The addresses of sources, if the world takes them. */
  intake: SourceIntake | undefined;
  taker: MailTaker;
  store: FileStore;
  /** The compiled rules of the API. */
  rules: () => Promise<CompiledRules>;
  /** The context of the system in all tenants, by which tests insert rows. */
  system: Ctx;
  /** Creates a tenant with one subscription. */
  tenant(name?: string): Promise<{ tenantId: string; subscriptionId: string }>;
  /** The authenticator of the API. It knows the made-up tokens of callers, and the access tokens of agents. */
  authenticator: Authenticator;
  /** Returns the context of this caller, for functions below HTTP. */
  ctx(caller: TestCaller): Ctx;
  call(caller: TestCaller | null, method: string, url: string, body?: unknown, headers?: Record<string, string>): Promise<WorldReply>;
  /** Makes the server listen; returns its address and a token of the caller, for clients that open a connection. */
  connect(caller: TestCaller): Promise<{ root: string; authorization: string }>;
  /** Opens an answer that does not end by itself; resolves when its head has arrived. */
  stream(caller: TestCaller, path: string, headers?: Record<string, string>): Promise<{ text: () => string; stop: () => Promise<void> }>;
  close(): Promise<void>;
}

/** A caller with the given permissions (default: all) in the given tenants. */
export function holder(tenants: readonly string[] | 'all', permissions: readonly string[] = allPermissions): TestCaller {
  const set = new Set(permissions);
  return { tenants, permissions: new Map(tenants === 'all' ? [['*', set]] : tenants.map((t) => [t, set])) };
}

const settings = {
  oidc: { authority: 'http://localhost/idp', clientId: 'cloudfit-portal', lifetime: 600, scope: 'openid', extraQueryParams: {} },
  version: '0.0.0',
  environment: { name: 'Test', color: 'green' },
  publicUrl: 'http://localhost',
  seriesRetention: { packetDays: 30, minuteDays: 30, hourDays: 730 },
};

interface WorldExtras {
  actions?: readonly ImplementedAction[];
  rawRoutes?: readonly RawRoute[];
  /** Default: true. */
  mailServerIsSet?: boolean;
  /** The mail server of the test mail. Default: none. */
  mail?: { url: string; from: string };
  /** Default: runs never begin. */
  installationWork?: InstallationRuns;
  /** Default: none. */
  packageKeys?: readonly string[];
  /** Whether sources can send to their addresses. */
  takesSources?: boolean;
  /** The folder of stored mails and files, for tests that store some. */
  files?: string;
  /** Default: none. */
  corsOrigins?: readonly string[];
}

/** Backups and trial restores that never begin. */
export const noRuns: InstallationRuns = {
  backupFolder: '/nowhere',
  folderFor: () => Promise.resolve('/nowhere/1'),
  start: () => Promise.resolve('It did not begin.'),
};

export async function createWorld(extra: WorldExtras = {}): Promise<TestWorld> {
  const log = pino({ level: process.env['TEST_LOG'] ?? 'silent' });
  const { url, close } = await testDatabase();
  const database = openDatabase({ url, max: 8, process: '0.0.0 api+worker test:1', onError: () => undefined });
  await registerServed(database, served);
  const masterKey = masterKeyOf([randomBytes(32).toString('base64')]);
  setEventKey(masterKey);
  const pushKey = await loadPushKey(database.scoped('all'), masterKey);
  const secrets = openTenantSecrets(masterKey);
  const hopCounts = openHopCounts(masterKey);
  const ackLinks = openAckLinks(masterKey, 'http://localhost');
  const contactLinks = openContactLinks(masterKey, 'http://localhost');
  const subscriptionLinks = openSubscriptionLinks(masterKey, 'http://localhost');
  const callers = new Map<string, TestCaller>();
  const deviceTokens = createDeviceTokens(database, masterKey);

  function ctx(caller: TestCaller, correlationId: string = randomUUID()): Ctx {
    const actor = caller.actor ?? { kind: 'person', id: randomUUID(), name: 'Test Person', userName: 'person@example.com' };
    return { ...caller, actor, db: database.scoped(caller.tenants), now: () => new Date(), log, correlationId };
  }

  const authenticator: Authenticator = {
    authenticate: async (credentials) => {
      const token = credentials.authorization?.slice(7) ?? '';
      if (looksLikeDeviceToken(token)) return ctx(await deviceTokens.check(token), credentials.correlationId);
      const caller = callers.get(token);
      if (!caller) throw new ApiError('Unauthorized', 'Please sign in.');
      return ctx(caller, credentials.correlationId);
    },
    onChange: () => () => undefined,
    close: () => Promise.resolve(),
  };
  let rules: Promise<CompiledRules> | undefined;
  const ingest = extra.takesSources ? await openIngest({ database, log }) : undefined;
  const compiledRules = () => (ingest ? Promise.resolve(ingest.rules) : (rules ??= openCompiledRules({ database, log })));
  const intake = ingest && (await openIntake({ database, log, storeItems: (ctx, items) => ingest.ingest(ctx, items) }));
  const files = extra.files ?? join(tmpdir(), `world-files-${process.pid}`);
  const store = folderStore(join(files, 'stored'));
  const taker = mailTaker({ store, incoming: join(files, 'incoming'), maxFileBytes: 1024 ** 2 });
  const outbound = openOutboundHttp({ allow: ['127.0.0.1'] });
  const app = await createHttpServer({
    log,
    database,
    publicUrl: 'http://localhost',
    trustProxy: false,
    status: {
      database,
      links: (extra.mailServerIsSet ?? true) ? subscriptionLinks : undefined,
      contactLinks,
      reportLinks: openReportLinks(masterKey, 'http://localhost'),
      publicUrl: 'http://localhost',
      digestLinks: openDigestLinks(masterKey, 'http://localhost'),
    },
    ...(intake ? { intake } : {}),
    mailTaker: taker,
    services: { database, masterKey, secrets, http: outbound, publicUrl: 'http://localhost' },
    ack: { links: ackLinks, units: linkedUnits({ database, log }) },
    portal: { folder: '/nowhere', authority: 'http://localhost/idp' },
    api: {
      database,
      hopCounts,
      refusedCall: callPolicy(['127.0.0.1']),
      publicUrl: 'http://localhost',
      ...withDescription(
        [
          ...actions({
            ...settings,
            intake,
            secrets,
            database,
            publicUrl: 'http://localhost',
            ackLinks,
            contactLinks,
            calendarLinks: openCalendarLinks(masterKey, 'http://localhost'),
            feedLinks: openFeedLinks(masterKey, 'http://localhost'),
            pushKey: pushKey.publicKey,
            packageKeys: extra.packageKeys ?? [],
            mailServerIsSet: extra.mailServerIsSet ?? true,
            mail: extra.mail,
            installationWork: extra.installationWork ?? noRuns,
            rules: compiledRules,
            directories: directoryParts({ masterKey, publicUrl: 'http://localhost', allow: ['127.0.0.1', 'localhost'] }),
            mailboxes: { store, taker, tryMailbox: mailboxTrial(mailboxOpening(['127.0.0.1'], secrets)) },
          }),
          ...(extra.actions ?? []),
        ],
        [...(extra.rawRoutes?.includes(trySourceRoute) ? [] : [trySourceRoute]), ...(extra.rawRoutes ?? [])],
        {
          publicUrl: 'http://localhost',
          version: settings.version,
        },
      ),
      authenticator,
      corsOrigins: extra.corsOrigins ?? [],
    },
  });

  let port: Promise<number> | undefined;
  const listening = (): Promise<number> =>
    (port ??= app.listen({ port: 0, host: '127.0.0.1' }).then((address) => Number(new URL(address).port)));

  const system = ctx({ ...holder('all'), actor: { kind: 'system', id: null, name: 'test' } });
  return {
    app,
    database,
    url,
    secrets,
    hopCounts,
    ackLinks,
    subscriptionLinks,
    masterKey,
    pushKey,
    signIn: openSignIn({ database, deviceTokens, packageKey: await loadPackageKey(database.scoped('all'), masterKey), log }),
    intake,
    taker,
    store,
    rules: compiledRules,
    system,
    ctx,
    authenticator,
    tenant: async (name = `Tenant ${randomUUID()}`) => {
      const [row] = await system.db.query<{ tenantId: string; subscriptionId: string }>({
        text: `with t as (insert into tenant (name) values ($1) returning tenant_id), s as (insert into subscription (tenant_id, name) select tenant_id, 'Default' from t returning *)
          select tenant_id as "tenantId", subscription_id as "subscriptionId" from s`,
        values: [name],
      });
      if (!row) throw new Error('No tenant was made.');
      return row;
    },
    call: async (caller, method, path, body, headers = {}) => {
      const token = randomUUID();
      if (caller) callers.set(token, caller);
      const response = await app.inject({
        method: method as 'GET',
        url: path,
        headers: {
          ...(caller ? { authorization: `Bearer ${token}` } : {}),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { payload: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body) }),
      });
      callers.delete(token);
      const isJson = String(response.headers['content-type']).startsWith('application/json') && response.payload !== '';
      return { status: response.statusCode, body: isJson ? response.json() : {}, text: response.payload, headers: response.headers };
    },
    connect: async (caller) => {
      const token = randomUUID();
      callers.set(token, caller);
      return { root: `http://127.0.0.1:${await listening()}/v1`, authorization: `Bearer ${token}` };
    },
    stream: async (caller, path, headers = {}) => {
      const token = randomUUID();
      callers.set(token, caller);
      const stopping = new AbortController();
      const response = await fetch(`http://127.0.0.1:${await listening()}${path}`, {
        headers: { authorization: `Bearer ${token}`, ...headers },
        signal: stopping.signal,
      });
      let text = '';
      const reading = (async () => {
        for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) text += part;
      })().catch(() => undefined);
      return {
        text: () => text,
        stop: async () => {
          stopping.abort();
          await reading;
        },
      };
    },
    close: async () => {
      // A client that stopped reading may keep its connection open.
      app.server.closeAllConnections();
      await app.close();
      await outbound.close();
      await intake?.close();
      await ingest?.stop();
      await (await rules)?.stop();
      await database.close();
      await close();
    },
  };
}
