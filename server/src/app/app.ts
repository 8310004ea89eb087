/** Composes the server from its parts as configured: API, worker or both. */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { createAuthenticator } from '../auth/authenticate.ts';
import { deviceClientId } from '../auth/provider/device-pages.ts';
import { createDeviceTokens } from '../auth/device-tokens.ts';
import { openFeedLinks } from '../platform/feeds/feed-links.ts';
import { openCalendarLinks } from '../platform/calendar-links.ts';
import { openSubscriptionLinks } from '../features/status-pages/subscription-links.ts';
import { openAckLinks } from '../platform/ack-links.ts';
import { openReportLinks } from '../platform/report-links.ts';
import { openDigestLinks } from '../platform/digest-links.ts';
import { openContactLinks } from '../platform/contact-links.ts';
import { openHopCounts } from '../context/hop-count.ts';
import { setEventKey } from '../features/event-subscriptions/event-secrets.ts';
import { masterKeysInUse } from '../auth/keys-in-use.ts';
import { loadMasterKey, type MasterKey } from '../auth/master-key.ts';
import type { PackageKey } from '../auth/package-key.ts';

import { ensureFirstAdministrator } from '../auth/sign-in/one-time-link.ts';
import { systemCtx } from '../auth/system-ctx.ts';
import { openTenantSecrets } from '../auth/tenant-secrets.ts';
import { actions } from './actions.ts';
import { agentFolders } from '../platform/agent-files.ts';
import { offerAgentPackages } from '../features/packages/agent-packages.ts';
import { startArchiving } from './archiving.ts';
import { ensureContent } from './content.ts';
import { identity } from './identity.ts';
import { installationRuns } from './installation-work.ts';
import { startAgentBuild } from './build-agent.ts';
import type { Config } from '../platform/config.ts';
import type { Ctx } from '../context/ctx.ts';
import { startClockCheck } from '../db/clock-check.ts';
import { openDatabase, serverAnswerMs, type Database } from '../db/connection.ts';
import type { EmbeddedServer } from '../db/embedded/embedded.ts';
import type { RecentWriters } from '../db/standby/writers.ts';
import { openStorage } from '../db/storage.ts';
import { openSignIn } from '../features/devices/agent/sign-in.ts';
import { watchDevices } from '../features/devices/agent/device-watch.ts';
import { startLocalAgent } from '../features/devices/agent/local-agent.ts';
import { setLongestTokenLife } from '../features/tokens/tokens.served.ts';
import { linkedUnits } from '../features/work-units/acknowledge-link.ts';
import { createChangeFeed } from '../http/change-feed.ts';
import { createDrain, type Drain } from '../http/drain.ts';
import { liveCall } from '../http/live.ts';
import { withDescription } from '../http/metadata/calls.ts';
import { rawRoutes } from '../http/raw-calls.ts';
import { createHttpServer } from '../http/server.ts';
import { openIntake } from '../intake/take.ts';
import { openIngest, type Ingest } from '../ingest/accept.ts';
import { rolesOf } from './roles.ts';
import { openStreamOf, writeStream } from './stream.ts';
import { createAnnouncer } from '../ingest/announce.ts';
import { openStreamLag, type StreamLag } from '../ingest/stream/lag.ts';
import { startPulse } from '../rules/run/pulse.ts';
import { openArchive } from './open-archive.ts';
import type { ProcessPart } from './processes/messages.ts';
import { startVitals } from '../features/installation/vitals.ts';
import { readStandby } from './read-standby.ts';
import { ownDatabaseReady, type DatabaseAddresses, type ReadyDatabase } from './ready-database.ts';
import { incomingFolder } from './open-file-store.ts';
import { openMetrics, type Metrics } from '../http/metrics/metrics.ts';
import { serveMetrics } from '../http/metrics/serve-metrics.ts';
import { registerServed } from '../resources/served.ts';
import { served } from './served.ts';
import { localHost } from '../platform/network.ts';
import { StartError } from '../platform/start-error.ts';
import { callPolicy } from '../outbound/http.ts';
import { directoryParts } from './directories.ts';
import { incomingParts } from './incoming.ts';
import { startWork } from './work.ts';

export interface App {
  /** The address at which people open the portal; a process that is only a worker has none. */
  address: string | undefined;
  /** At the first start of an installation: the link with which its administrator sets the password. */
  setPasswordLink: string | undefined;
  /**
   * Ends each connection with its answer, and lets balancers send requests elsewhere unless other processes of this server take
   * them; the server goes on to answer. Call it a while before `stop`.
   */
  drain(othersGoOn?: boolean): void;
  /** The figures of this process for Prometheus, with those of the database if `isShared`; nothing without METRICS_PORT. */
  readMetrics?(isShared: boolean): Promise<string>;
  /** Finishes running work and closes everything in reverse order of opening. */
  stop(): Promise<void>;
}

const projectRoot = join(import.meta.dirname, '../../..');
const tokenLifetimeSeconds = 600;

/** Tells this process from others, also from one of the same host and number before it. */
const processId = randomUUID().slice(0, 8);

async function versionOf(): Promise<string> {
  const { version } = JSON.parse(await readFile(join(projectRoot, 'package.json'), 'utf8')) as { version: string };
  return version;
}

async function startApi(
  config: Config,
  database: Database,
  ingest: Ingest,
  system: Ctx,
  masterKey: MasterKey,
  packageKey: PackageKey,
  pushKey: string,
  log: Logger,
  onStop: (stop: () => Promise<void> | void) => void,
  metrics: Metrics | undefined,
  drain: Drain,
  streamLag: (() => Promise<StreamLag>) | undefined,
  writers: RecentWriters | undefined,
): Promise<void> {
  const { issuer, authority, provider } = await identity(config, database, masterKey, log);
  if (provider) onStop(() => provider.close());
  // A stream takes packets while the database is away.
  const outlasts = config.streamUrl !== undefined;
  const deviceTokens = createDeviceTokens(database, masterKey, outlasts);
  const authenticator = await createAuthenticator({ database, issuer, deviceTokens, outlasts, log });
  onStop(() => authenticator.close());
  const watch = await watchDevices(database, (error) => log.warn({ err: error }, 'Devices could not be watched.'));
  const feed = await createChangeFeed(database, log);
  onStop(() => feed.close());
  const announcer = createAnnouncer(database, log);
  onStop(() => announcer.stop());
  const live = liveCall(feed, authenticator);
  const { mails, parts } = incomingParts(config, database, masterKey, onStop);
  const store = { store: mails.store, key: packageKey, incoming: incomingFolder(config) };
  const raw = rawRoutes({
    watch,
    stream: live.call,
    signIn: openSignIn({ database, deviceTokens, packageKey, log }),
    files: { ...store, maxBytes: config.uploadMaxMb * 1024 ** 2, maxNoteFileBytes: config.noteFileMaxMb * 1024 ** 2 },
    ingest: async (ctx, body, contentType) => {
      const answer = await ingest.ingestBody(ctx, body, contentType);
      // Those of a stream are announced when they are written.
      if (!outlasts) announcer.packetsStored(ctx.tenants);
      return answer;
    },
  });
  const version = await versionOf();
  const deviceClient = provider ? deviceClientId(config.oidcClientId) : config.oidcDeviceClientId;
  const oidc = {
    authority,
    clientId: config.oidcClientId,
    lifetime: tokenLifetimeSeconds,
    scope: config.oidcScope,
    extraQueryParams: config.oidcExtraParams,
    ...(deviceClient === undefined ? {} : { deviceClientId: deviceClient }),
  };
  const ackLinks = openAckLinks(masterKey, config.publicUrl);
  const contactLinks = openContactLinks(masterKey, config.publicUrl);
  const intake = await openIntake({
    database,
    log,
    storeItems: async (ctx, items) => {
      const answers = await ingest.ingest(ctx, items);
      announcer.packetsStored(ctx.tenants);
      return answers;
    },
  });
  onStop(() => intake.close());
  const all = actions({
    intake,
    oidc,
    version,
    environment: { name: config.environmentName, color: config.environmentColor },
    secrets: openTenantSecrets(masterKey),
    directories: directoryParts({ masterKey, publicUrl: config.publicUrl, allow: config.outboundAllow }),
    mailboxes: mails,
    database,
    accessRequestTenant: config.accessRequestTenant,
    publicUrl: config.publicUrl,
    ackLinks,
    contactLinks,
    calendarLinks: openCalendarLinks(masterKey, config.publicUrl),
    feedLinks: openFeedLinks(masterKey, config.publicUrl),
    mailServerIsSet: config.smtpUrl !== undefined,
    streamLag,
    mail: config.smtpUrl === undefined ? undefined : { url: config.smtpUrl, from: config.mailFrom },
    licencePublicKey: config.licencePublicKey,
    installationWork: installationRuns(config),
    agentDownloadUrl: config.agentDownloadUrl,
    packageKeys: [packageKey.publicKey],
    pushKey,
    rules: () => Promise.resolve(ingest.rules),
    seriesRetention: {
      packetDays: config.packetRetentionDays,
      minuteDays: config.seriesMinuteRetentionDays,
      hourDays: config.seriesHourRetentionDays,
    },
  });
  const app = await createHttpServer({
    log,
    database,
    publicUrl: config.publicUrl,
    trustProxy: config.trustProxy,
    drain,
    stream: streamLag,
    ...(metrics ? { answered: metrics.answered } : {}),
    ...(provider ? { idp: provider.handler } : {}),
    status: {
      database,
      links: config.smtpUrl === undefined ? undefined : openSubscriptionLinks(masterKey, config.publicUrl),
      contactLinks,
      reportLinks: openReportLinks(masterKey, config.publicUrl),
      publicUrl: config.publicUrl,
      digestLinks: openDigestLinks(masterKey, config.publicUrl),
    },
    intake,
    ...parts,
    ack: { links: ackLinks, units: linkedUnits({ database, log }) },
    portal: { folder: join(projectRoot, 'portal/dist'), authority, ...(provider ? { opened: provider.prepare } : {}) },
    api: {
      authenticator,
      hopCounts: openHopCounts(masterKey),
      refusedCall: callPolicy(config.outboundAllow),
      database,
      ...withDescription(all, raw, { publicUrl: config.publicUrl, version }),
      publicUrl: config.publicUrl,
      corsOrigins: config.corsOrigins,
      writers,
    },
  });
  onStop(() => app.close());
  // Runs before `app.close`, because open long polls and streams would keep the server running.
  onStop(async () => {
    live.close();
    await watch.close();
  });
  await app.listen({ port: config.port, host: config.host, backlog: connectionsInLine }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EADDRINUSE')
      throw new StartError(`Port ${config.port} is taken by another program. Stop it, or choose another with PORT=...`);
    if (error.code === 'EACCES')
      throw new StartError(`Port ${config.port} needs more rights than this user has. Choose one above 1023 with PORT=...`);
    throw new StartError(`The server cannot listen on ${config.host}:${config.port}: ${error.message}`);
  });
  if (!outlasts) {
    const pulse = startPulse(database, processId, log);
    onStop(() => pulse.stop());
  }
  const offer = () =>
    offerAgentPackages(system, { ...store, folders: agentFolders }).catch((error: unknown) =>
      log.warn({ err: error }, "The agent's executables could not be put into the catalogue."),
    );
  const build = config.agentBuild ? startAgentBuild(log, offer) : { stop: () => offering };
  const offering = config.agentBuild ? undefined : offer();
  onStop(() => build.stop());
  if (!config.agent) return;
  const agent = await startLocalAgent(system, { dataDir: config.dataDir, url: `http://${localHost(config.host)}:${config.port}` });
  onStop(() => agent.stop());
}

/**
 * The length of the kernel's queue of connections that are not accepted yet (the system may cap it). A full queue drops
 * connections silently, so callers wait in vain; after a restart all agents connect at once.
 */
const connectionsInLine = 4_096;

/**
 * Starts all parts of the server. If one part fails, stops those that have started and throws. `ownDatabase`: the embedded
 * PostgreSQL, which may still be starting; nothing when the settings name another, and when `part` says that this is one of
 * several processes, which share a database that is ready.
 */
export async function startApp(
  config: Config,
  log: Logger,
  ownDatabase: Promise<EmbeddedServer | undefined>,
  part?: ProcessPart,
): Promise<App> {
  const stops: (() => Promise<void> | void)[] = [];
  const onStop = (stop: () => Promise<void> | void): void => void stops.unshift(stop);
  const drain = createDrain();
  const stop = async (): Promise<void> => {
    for (const one of stops.splice(0))
      await Promise.resolve(one()).catch((error: unknown) => log.error({ err: error }, 'Something could not be stopped cleanly.'));
  };
  let checked: Promise<void> | undefined;
  try {
    const roles = rolesOf(config);
    const ready: DatabaseAddresses & Partial<ReadyDatabase> = part?.database ?? (await ownDatabaseReady(config, log, ownDatabase, onStop));
    const { owner, login } = ready;
    ({ checked } = ready);
    const storage = openStorage({ dataDir: config.dataDir, isDatabaseHere: config.databaseUrl === undefined, log });
    onStop(() => storage.stop());
    const database = openDatabase({
      url: login,
      storage,
      max: config.dbPool,
      answerMs: serverAnswerMs,
      process: `${await versionOf()} ${roles.join('+')} ${processId} ${hostname()}:${process.pid}`,
      onError: (error) => log.warn({ err: error }, 'A database connection was lost.'),
      onHang: (isHanging) =>
        isHanging
          ? log.error('The database does not answer. Requests are refused until it does.')
          : log.warn('The database answers again.'),
    });
    onStop(() => database.close());
    const writers = readStandby(config, database, log);
    onStop(async () => database.standby?.close());
    if (config.archiveDir !== undefined && (part?.isFirst ?? true)) {
      const { archiveDir: archive, dataDir } = config;
      const archiving = startArchiving({
        url: owner,
        db: database.scoped('all'),
        dataDir,
        archive,
        store: openArchive(archive, config),
        storage,
        log,
      });
      onStop(() => archiving.stop());
    }
    const vitals = startVitals(database, { id: processId, name: part?.name ?? config.roles.join('+') }, log);
    onStop(() => vitals.stop());
    storage.watch(database.scoped('all'));
    const stream = await openStreamOf(config, database.scoped('all'), log);
    if (stream) onStop(() => stream.close());
    const streamLag = stream && openStreamLag(stream, database);
    const metrics =
      config.metricsPort === undefined ? undefined : await openMetrics({ database, log, process: part?.name, stream: streamLag });
    if (metrics && config.metricsPort !== undefined && !part) {
      const listening = await serveMetrics({ port: config.metricsPort, host: config.metricsHost, read: () => metrics.read(true), log });
      onStop(() => listening.stop());
    }
    await registerServed(database, served);
    setLongestTokenLife(config.tokenMaxYears);
    const system = systemCtx({ database, log, name: 'CloudFit' });
    const { masterKey: keys, masterKeyFile, dataDir } = config;
    const masterKey = await loadMasterKey({ masterKey: keys, masterKeyFile, dataDir, log, inUse: await masterKeysInUse(system.db) });
    setEventKey(masterKey);
    const [{ packageKey, pushKey }] = await Promise.all([
      ensureContent(system, config, masterKey),
      startClockCheck(database, log).then((clockCheck) => onStop(() => clockCheck.stop())),
      checked,
    ]);
    const ingest = await openIngest({ database, log, cachedEntities: config.cachedEntities, stream });
    onStop(() => ingest.stop());
    if (stream && roles.includes('ingest')) {
      const writing = await writeStream(stream, { database, ingest, process: processId, log });
      onStop(() => writing.stop());
    }
    if (roles.includes('worker')) {
      const work = await startWork(config, database, log, ingest, masterKey, pushKey, owner, streamLag);
      onStop(() => work.stop());
    }
    const ways = { drain: drain.begin, stop, ...(metrics ? { readMetrics: metrics.read } : {}) };
    if (!roles.includes('api')) return { address: undefined, setPasswordLink: undefined, ...ways };
    await startApi(
      config,
      database,
      ingest,
      system,
      masterKey,
      packageKey,
      pushKey.publicKey,
      log,
      onStop,
      metrics,
      drain,
      streamLag,
      writers,
    );
    // The last step: the link is shown once, so nothing may fail between creating and showing it.
    const setPasswordLink = config.oidcAuthority
      ? undefined
      : await ensureFirstAdministrator(system.db, { publicUrl: config.publicUrl, email: config.adminEmail });
    return { address: config.publicUrl, setPasswordLink, ...ways };
  } catch (error) {
    // With another schema something else may fail first.
    const mismatch: unknown = await checked?.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    await stop();
    throw mismatch ?? error;
  }
}
