/** `/mcp`: the Model Context Protocol over streamable HTTP, for assistants that act for a caller of the API. */
import type { FastifyInstance, RouteOptions } from 'fastify';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { requireJson, type ApiParts } from '../request-steps.ts';

const address = '/mcp';

/**
 * The routes of the server. A POST counts as a read, so that an administrator may also look as another person: what a tool calls is
 * checked by itself, and then writes are refused.
 */
export function mcpRoutes(app: FastifyInstance, api: ApiParts, version: string): RouteOptions[] {
  return [
    {
      method: 'POST',
      url: address,
      config: { measuredAs: 'mcp', reads: true },
      onRequest: [...api.signedIn, requireJson],
      handler: async (request, reply) => {
        const { ctx, ip, body, headers, url } = request;
        if (Array.isArray(body)) throw new ApiError('InvalidBody', 'Send one message at a time.');
        const { answerMcp } = await import('./mcp-server.ts');
        const sent = Object.entries(headers).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
        const message = new Request(new URL(url, api.origin), { method: 'POST', headers: sent });
        const answer = await answerMcp({ app, ctx, address: ip, version }, message, body);
        for (const [name, value] of answer.headers) void reply.header(name, value);
        return reply.code(answer.status).send(await answer.text());
      },
    },
    {
      // There is no session, so no stream of messages from here and nothing to end.
      method: ['GET', 'DELETE'],
      url: address,
      config: { measuredAs: 'mcp' },
      exposeHeadRoute: false,
      onRequest: [...api.signedIn],
      handler: (_request, reply) => {
        void reply.header('allow', 'POST');
        throw new ApiError('MethodNotAllowed', 'This address takes POST alone.');
      },
    },
  ];
}
