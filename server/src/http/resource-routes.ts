/** The routes of a resource: list, count, export, create, bulk update, and one row: read, update, delete. */
import type { HTTPMethods, RouteHandlerMethod, RouteOptions } from 'fastify';
import type { Resource, Verb } from '@cloudfit/contract/resource.ts';
import { isSystemOption } from '@cloudfit/contract/query/options.ts';
import type { Ctx } from '../context/ctx.ts';
import { countRows, planList } from '../resources/list.ts';
import { exportedRows, exportRows } from '../resources/export.ts';
import { servedNamed, type AnyServed } from '../resources/served.ts';
import { pathParameters, plainPath, queryOf, writtenPath } from './address.ts';
import { contextUrl, readRequest, sendAnswer, sendCount, type ApiAnswer, type ApiRequest } from './answer.ts';
import { csvType, rowsJson, sendCsv } from './form/exports.ts';
import { contentType, negotiateExport, prefersCsv } from './form/negotiate.ts';
import { ofLists, takenByLists, takenByWrites, requireOptions } from './form/query-options.ts';
import { answerPage, nextLink } from './pages.ts';
import { answerOnce } from './repeat.ts';
import { requireJson, requireSupported, step, type ApiParts } from './request-steps.ts';
import { answerBulkUpdate, answerCreate, answerRemove, answerRow, answerUpdate } from './row-answers.ts';

/** Answers a call of a resource; `key` is empty when the path has no key. */
type AnswerCall = (ctx: Ctx, served: AnyServed, request: ApiRequest, key: string) => Promise<ApiAnswer>;

const answerList: AnswerCall = (ctx, served, request) => answerPage(ctx, served, request);
const answerCreateOnce: AnswerCall = (ctx, served, request) => answerOnce(ctx, request, (ctx) => answerCreate(ctx, served, request));

const withoutSegments = step((request) => requireSupported(plainPath(request.url)));

export function resourceRoutes(api: ApiParts, resource: Resource): RouteOptions[] {
  const served = servedNamed(resource.name);
  const set = `/v1/${resource.name}`;
  const row = `${set}/:key`;

  const answered =
    (answer: AnswerCall): RouteHandlerMethod =>
    async (request, reply) => {
      const call = readRequest(request, api.origin);
      const { key = '' } = pathParameters(request);
      return sendAnswer(reply, call.form, await answer(request.ctx, served, call, key));
    };
  /** Returns the handler of a call on many rows, which waits until its caller has a free slot. */
  const inTurn = (answer: AnswerCall): RouteHandlerMethod => answered((ctx, ...call) => api.listSlot(ctx, () => answer(ctx, ...call)));
  const count: RouteHandlerMethod = async ({ ctx, url }, reply) =>
    sendCount(reply, await api.listSlot(ctx, () => countRows(ctx, served, queryOf(url))));
  const exported: RouteHandlerMethod = async (request, reply) => {
    const { ctx, url, originalUrl } = request;
    const form = negotiateExport(request.headers, queryOf(url));
    if (request.method === 'HEAD') {
      // Reads no row, because what is exported is audited; the query and the permission are checked as for GET.
      planList(ctx, served, queryOf(url));
      return reply.type(form === 'json' ? contentType(readRequest(request, api.origin).form) : csvType).send();
    }
    if (form === 'json') {
      const call = readRequest(request, api.origin);
      const page = await api.listSlot(ctx, () => exportedRows(ctx, served, call.rawQuery));
      const json = rowsJson(page, contextUrl(call, page.context), page.next && nextLink(call, page.next));
      return sendAnswer(reply, call.form, { status: 200, json, headers: { 'cache-control': 'no-store' } });
    }
    const read = { writtenPath: writtenPath(originalUrl), rawQuery: queryOf(url), origin: api.origin };
    const file = await api.listSlot(ctx, () => exportRows(ctx, served, read.rawQuery));
    // A CSV file cannot contain a next link, so a header does; without it, a program would take the first rows for all rows.
    if (file.next) void reply.header('link', `<${nextLink(read, file.next).replaceAll('>', '%3E')}>; rel="next"`);
    return sendCsv(reply, file);
  };
  const rows = inTurn(answerList);
  /** A list is a file, as an export is, for a client that prefers that. */
  const listed: RouteHandlerMethod = (request, reply) =>
    (prefersCsv(request.headers, queryOf(request.url)) ? exported : rows).call(request.server, request, reply);
  function route(method: HTTPMethods[], url: string, verb: Verb, handler: RouteHandlerMethod): RouteOptions[] {
    if (!resource.verbs.includes(verb)) return [];
    const reads = verb === 'list' ? (url === set ? takenByLists : isSystemOption) : takenByWrites;
    const options = step((request) => requireOptions(queryOf(request.url), reads, reads === takenByLists ? ofLists : []));
    const end = url === row ? [withoutSegments] : verb === 'list' ? [api.standby.elsewhere] : [];
    const onRequest = [...api.signedIn, options, requireJson, ...end];
    return [{ method, url, config: { measuredAs: resource.name, inBatch: true }, exposeHeadRoute: false, onRequest, handler }];
  }
  return [
    ...route(['GET', 'HEAD'], set, 'list', listed),
    ...route(['GET', 'HEAD'], `${set}/$count`, 'list', count),
    ...route(['GET', 'HEAD', 'POST'], `${set}/Export`, 'list', exported),
    ...route(['PUT', 'POST'], set, 'create', answered(answerCreateOnce)),
    ...route(['PATCH'], set, 'update', inTurn(answerBulkUpdate)),
    ...route(['GET', 'HEAD'], row, 'list', answered(answerRow)),
    ...route(['POST', 'PATCH'], row, 'update', answered(answerUpdate)),
    ...route(['DELETE'], row, 'delete', answered(answerRemove)),
  ];
}
