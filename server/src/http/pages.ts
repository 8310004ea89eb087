/** Answers lists: page size, link to the next page, and 304 for a poll without changes. */
import type { Ctx } from '../context/ctx.ts';
import type { ImplementedList, RowCondition } from '../resources/action.ts';
import { countRows, planList, runPlan, type ListReadOptions, type PageText } from '../resources/list.ts';
import { servedNamed, type AnyServed } from '../resources/served.ts';
import { namesTag } from '../resources/get.ts';
import { contextUrl, header, type ApiAnswer, type ApiRequest } from './answer.ts';
import { longsAsText } from './form/ieee754.ts';
import { listTag, unchangedTag } from './list-version.ts';
import { applied, preferences } from './form/prefer.ts';

function pageText(page: PageText, { resource }: AnyServed, request: ApiRequest): string {
  const { ieee754 } = request.form;
  const context = `"@odata.context":${JSON.stringify(contextUrl(request, page.context))},`;
  const count = page.count === undefined ? '' : `"@odata.count":${ieee754 ? `"${page.count}"` : page.count},`;
  const value = ieee754
    ? JSON.stringify((JSON.parse(page.value) as Record<string, unknown>[]).map((row) => longsAsText(resource, row)))
    : page.value;
  const next = page.next === undefined ? '' : `,"@odata.nextLink":${JSON.stringify(nextLink(request, page.next))}`;
  return `{${context}${count}"value":${value}${next}}`;
}

export function nextLink(
  { writtenPath, rawQuery, origin }: Pick<ApiRequest, 'writtenPath' | 'rawQuery' | 'origin'>,
  next: NonNullable<PageText['next']>,
): string {
  const replaced = next.top === undefined ? /^(?:\$|%24)?skip(?:token)?=/i : /^(?:\$|%24)?(?:skip|skiptoken|top)=/i;
  const query = rawQuery.split('&').filter((part) => part !== '' && !replaced.test(part));
  if (next.top !== undefined) query.push(`$top=${next.top}`);
  return `${origin}${writtenPath}?${[...query, `$skiptoken=${next.skiptoken}`].join('&')}`;
}

/** Returns the answer, or 304 when the client has its ETag already. */
export function unlessSame(request: ApiRequest, etag: string, answer: ApiAnswer): ApiAnswer {
  const headers = { ...answer.headers, etag };
  return namesTag(header(request, 'if-none-match'), etag) ? { status: 304, headers } : { ...answer, headers };
}

/** Answers a page of a resource; `narrow` is a further condition on its rows. */
export async function answerPage(ctx: Ctx, served: AnyServed, request: ApiRequest, narrow?: ListReadOptions['narrow']): Promise<ApiAnswer> {
  const { maxPageSize } = preferences(header(request, 'prefer'));
  const plan = planList(ctx, served, request.rawQuery, {
    wire: true,
    ...(narrow ? { narrow } : {}),
    ...(maxPageSize === undefined ? {} : { maxPageSize }),
  });
  const form = [request.path, request.rawQuery, request.headers.accept ?? ''].join('\n');
  const ifNoneMatch = header(request, 'if-none-match');
  if (ifNoneMatch !== undefined) {
    const etag = await unchangedTag(ctx, plan, form, ifNoneMatch);
    if (etag !== undefined) return { status: 304, headers: { etag } };
  }
  const page = await runPlan(ctx, plan);
  // Encoded once: the hash, the length and the copies of a text of 5 MB would each encode it again, in one turn of 100 ms.
  const json = Buffer.from(pageText(page, served, request));
  const headers = applied(maxPageSize === undefined ? undefined : `maxpagesize=${plan.size}`);
  return unlessSame(request, listTag(ctx, plan, form, page.snapshot, json), { status: 200, json, headers });
}

/** Answers a list that has a path of its own; `rows` is its condition on rows. */
export async function answerList(
  ctx: Ctx,
  { action, beside }: ImplementedList,
  rows: RowCondition,
  request: ApiRequest,
): Promise<ApiAnswer> {
  const narrow = await rows(ctx, 't');
  const answer = await answerPage(ctx, servedNamed(action.of), request, narrow);
  if (!beside || answer.json === undefined) return answer;
  const more = await beside(() => countRows(ctx, servedNamed(action.of), '', narrow));
  const page = JSON.parse(answer.json.toString()) as { value: Record<string, unknown>[] };
  return { ...answer, json: JSON.stringify({ ...page, value: page.value.map((row) => ({ ...row, ...more })) }) };
}

/** Returns the number of rows of a list with a path of its own. */
export async function countList(ctx: Ctx, { action }: ImplementedList, rows: RowCondition, rawQuery: string): Promise<number> {
  return countRows(ctx, servedNamed(action.of), rawQuery, await rows(ctx, 't'));
}
