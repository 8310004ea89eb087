/**
 * What people are shown of a database: counts, lists, groups and series, as the API answers them. A backup records these
 * answers, and a drill asks the restored copy the same questions.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import pino from 'pino';
import { z } from 'zod';
import { compare } from '@cloudfit/contract/query/build.ts';
import { queryString, type ListQuery } from '@cloudfit/contract/query/query-string.ts';
import type { Resource } from '@cloudfit/contract/resource.ts';
import { resources } from '@cloudfit/contract/resources/registry.ts';
import { masterKeyOf } from '../auth/master-key.ts';
import { systemCtx } from '../auth/system-ctx.ts';
import { openHopCounts } from '../context/hop-count.ts';
import type { Database } from '../db/connection.ts';
import { countedBy } from '../db/indexes.ts';
import { seriesActions } from '../features/series/series.action.ts';
import { createHttpServer } from '../http/server.ts';
import type { Config } from '../platform/config.ts';
import { StartError } from '../platform/start-error.ts';
import { columnName } from '../db/column-name.ts';
import { registerServed, servedNamed } from '../resources/served.ts';
import { served } from './served.ts';

const question = z.object({ method: z.enum(['GET', 'POST']), path: z.string(), body: z.string().optional() });
const answer = z.object({
  ...question.shape,
  /** The count or the number of rows of the answer, by which people recognise a difference. */
  count: z.number(),
  /** SHA-256 of the answer, in hex. */
  sha256: z.string(),
});
/** Answers, and the time that was their now. */
export const shownSchema = z.object({ at: z.iso.datetime(), answers: z.array(answer) });

export type Shown = z.infer<typeof shownSchema>;
type ShownQuestion = z.infer<typeof question>;
type ShownAnswer = z.infer<typeof answer>;

const publicUrl = 'http://localhost';
const rowsOfList = 50;
/** Entities of each kind whose metrics are asked for. */
const entitiesWithSeries = 10;
const metricsOfEntity = 20;
const daysOfSeries = 7;
const unlimited = { perSecond: 1e6, burst: 1e6 };

type Retention = Pick<Config, 'packetRetentionDays' | 'seriesMinuteRetentionDays' | 'seriesHourRetentionDays'>;

/** Opens the API on a database without a port, for a caller who may see everything. */
async function openApi(database: Database, retention: Retention, now: () => Date): Promise<FastifyInstance> {
  const log = pino({ level: 'silent' });
  await registerServed(database, served);
  const authenticator = {
    authenticate: () => Promise.resolve(systemCtx({ database, log, name: 'Drill', now })),
    onChange: () => () => undefined,
    close: () => Promise.resolve(),
  };
  return createHttpServer({
    log,
    database,
    publicUrl,
    trustProxy: false,
    portal: { folder: '/nowhere', authority: publicUrl },
    api: {
      database,
      publicUrl,
      authenticator,
      hopCounts: openHopCounts(masterKeyOf([randomBytes(32).toString('base64')])),
      rates: { person: unlimited, token: unlimited, device: unlimited, anonymous: unlimited, agentSignIn: unlimited },
      actions: seriesActions({
        seriesRetention: {
          packetDays: retention.packetRetentionDays,
          minuteDays: retention.seriesMinuteRetentionDays,
          hourDays: retention.seriesHourRetentionDays,
        },
      }),
      rawRoutes: [],
    },
  });
}

interface ShownBody {
  value?: Record<string, unknown>[];
  series?: unknown[];
  '@odata.count'?: number;
}

async function ask(app: FastifyInstance, { method, path, body }: ShownQuestion): Promise<ShownBody | undefined> {
  const reply = await app.inject({
    method,
    url: path,
    headers: { authorization: 'Bearer drill', ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { payload: body }),
  });
  return reply.statusCode === 200 ? reply.json<ShownBody>() : undefined;
}

/** Returns the answer; undefined when the API refuses the question, as it does beyond a limit. */
async function answerOf(app: FastifyInstance, request: ShownQuestion): Promise<ShownAnswer | undefined> {
  const body = await ask(app, request);
  if (body === undefined) return undefined;
  const { value: rows = [], series = [], '@odata.count': count } = body;
  // The version of a row depends on the transaction that wrote it, and groups have no order.
  const texts = rows.map((row) => JSON.stringify(row, (key, value: unknown) => (key === '@odata.etag' ? undefined : value)));
  const shown = [
    count ?? null,
    ...(request.path.includes('$apply') ? texts.toSorted() : texts),
    ...series.map((item) => JSON.stringify(item)),
  ];
  return {
    ...request,
    count: count ?? rows.length + series.length,
    sha256: createHash('sha256').update(JSON.stringify(shown)).digest('hex'),
  };
}

const get = (path: string): ShownQuestion => ({ method: 'GET', path });

/**
 * Returns the questions about a resource: its first rows with their count, its groups, and the count for each choice of a
 * field whose counts are kept in a table of their own.
 */
function questionsAbout(resource: Resource): ShownQuestion[] {
  const list = (query: ListQuery): ShownQuestion => get(`/v1/${resource.name}${queryString(query)}`);
  const choosing = Object.entries(resource.fields).filter(([, field]) => field.choices !== undefined && field.filter);
  const groups = [...(resource.scope.kind === 'installation' ? [] : [resource.scope.field]), ...choosing.map(([name]) => name)];
  const counted = countedBy(servedNamed(resource.name).table) ?? [];
  return [
    list({ count: true, top: rowsOfList }),
    ...groups.map((name) => list({ apply: `groupby((${name}),aggregate($count as n))` })),
    ...choosing
      .filter(([name]) => counted.includes(columnName(name)))
      .flatMap(([name, { choices = [] }]) =>
        choices.map(({ value }) => list({ filter: compare(resource, name, 'eq', value), count: true, top: 1 })),
      ),
  ];
}

async function questionsAboutSeries(app: FastifyInstance, now: Date): Promise<ShownQuestion[]> {
  const from = new Date(now.getTime() - daysOfSeries * 86_400_000).toISOString();
  const questions: ShownQuestion[] = [];
  for (const [set, key] of [
    ['devices', 'deviceId'],
    ['deviceOperations', 'deviceOperationId'],
    ['blocks', 'entityId'],
  ] as const) {
    const list = await ask(app, get(`/v1/${set}${queryString({ top: entitiesWithSeries })}`));
    for (const row of list?.value ?? []) {
      const entityId = String(row[key]);
      const metrics = get(`/v1/packets/${entityId}/metrics`);
      const names = (await ask(app, metrics))?.value ?? [];
      if (names.length === 0) continue;
      const series = names.slice(0, metricsOfEntity).map(({ name }) => ({ entityId, metric: name }));
      questions.push(metrics, { method: 'POST', path: '/v1/series', body: JSON.stringify({ from, to: now.toISOString(), series }) });
    }
  }
  return questions;
}

/** Asks what people see of a database, and returns the questions with their answers. */
export async function recordShown(database: Database, retention: Retention): Promise<Shown> {
  const now = new Date();
  const app = await openApi(database, retention, () => now);
  try {
    const answers: ShownAnswer[] = [];
    for (const request of [...resources.flatMap(questionsAbout), ...(await questionsAboutSeries(app, now))]) {
      const reply = await answerOf(app, request);
      if (reply) answers.push(reply);
    }
    return { at: now.toISOString(), answers };
  } finally {
    await app.close();
  }
}

const namedDifferences = 5;

/** Asks a restored copy the same; throws an error that names what it answers differently. */
export async function requireSameShown(database: Database, retention: Retention, { at, answers }: Shown): Promise<void> {
  const app = await openApi(database, retention, () => new Date(at));
  try {
    const wrong: string[] = [];
    for (const { count, sha256, ...request } of answers) {
      const now = await answerOf(app, request);
      if (now?.sha256 === sha256) continue;
      const what = now === undefined ? 'is refused' : now.count === count ? 'has other values' : `says ${now.count}, not ${count}`;
      wrong.push(`${request.method} ${decodeURIComponent(request.path)} ${what}`);
    }
    if (wrong.length === 0) return;
    const rest = wrong.length > namedDifferences ? `; and ${wrong.length - namedDifferences} more` : '';
    throw new StartError(`People would see something else in the restored copy: ${wrong.slice(0, namedDifferences).join('; ')}${rest}.`);
  } finally {
    await app.close();
  }
}
