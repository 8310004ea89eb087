/** Calls of the API that a tool makes in the name of its caller: the same routes, rights, tenants, limits and audit as over HTTP. */
import type { FastifyInstance } from 'fastify';
import type { AnyCall, CallInput, CallOutput } from '@cloudfit/contract/call.ts';
import type { ErrorBody } from '@cloudfit/contract/errors.ts';
import { queryText, type ListQuery } from '@cloudfit/contract/query/query-string.ts';
import type { Row, RowInput } from '@cloudfit/contract/resource.ts';
import type { NamedResource, ResourceName } from '@cloudfit/contract/resources/registry.ts';
import { sentBy, type SentCall } from '@cloudfit/contract/client/sent-call.ts';
import type { Ctx } from '../../context/ctx.ts';
import { runningPart, type RunningPart } from '../batch/caller.ts';

/** A call that the API refused; the message is for whoever asked. */
export class ToolRefusal extends Error {}

/** Rows of a list, and how many there are in all where the query counts. */
interface ListedRows<T> {
  value: T[];
  '@odata.count'?: number;
}

export interface InnerCalls {
  call: <C extends AnyCall>(to: C, input: CallInput<C>) => Promise<CallOutput<C>>;
  list: <Name extends ResourceName>(name: Name, query: ListQuery) => Promise<ListedRows<Row<NamedResource<Name>>>>;
  create: <Name extends ResourceName>(name: Name, values: RowInput<NamedResource<Name>>, key: string) => Promise<Row<NamedResource<Name>>>;
  change: <Name extends ResourceName>(
    name: Name,
    id: number | string,
    values: RowInput<NamedResource<Name>>,
  ) => Promise<Row<NamedResource<Name>>>;
}

/** An answer larger than this is not read: no tool shows so much. */
const maxAnswerBytes = 4 * 1_048_576;

/**
 * Returns the calls of one tool. `tool` is in the name of the caller that audit, history and `createdBy` record, so that one sees
 * that an assistant wrote.
 */
export function innerCalls(app: FastifyInstance, caller: Ctx, remoteAddress: string, tool: string): InnerCalls {
  const { actor } = caller;
  const ctx: Ctx = actor.kind === 'token' ? { ...caller, actor: { ...actor, name: `${actor.name}, tool ${tool}` } } : caller;

  async function send<T>({ method, path, body }: Omit<SentCall, 'body'> & { body?: object | undefined }, key?: string): Promise<T> {
    const part: RunningPart = { caller: ctx };
    const answer = await runningPart.run(part, async () =>
      app.inject({
        method,
        url: path,
        remoteAddress,
        headers: { accept: 'application/json', ...(key === undefined ? {} : { 'idempotency-key': key }) },
        ...(body === undefined ? {} : { payload: body }),
        payloadAsStream: true,
      }),
    );
    const bytes = part.body ?? Buffer.concat((await answer.stream().toArray()) as Buffer[]);
    if (bytes.length > maxAnswerBytes) throw new ToolRefusal('The answer is too large. Ask for fewer rows or fields.');
    if (answer.statusCode === 204) return undefined as T;
    const json = JSON.parse(bytes.toString()) as T & Partial<ErrorBody>;
    if (answer.statusCode >= 400) throw new ToolRefusal(json.error?.message ?? `The call was answered with ${answer.statusCode}.`);
    return json;
  }

  return {
    call: (to, input) => send(sentBy(to, input)),
    list: (name, query) => send({ method: 'GET', path: `/v1/${name}?${queryText(query)}` }),
    create: (name, values, key) => send({ method: 'PUT', path: `/v1/${name}`, body: values }, key),
    change: (name, id, values) => send({ method: 'PATCH', path: `/v1/${name}(${id})`, body: values }),
  };
}
