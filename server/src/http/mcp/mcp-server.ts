/** Answers one message of the Model Context Protocol. The library is loaded with this file, at the first message. */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import type { FastifyInstance } from 'fastify';
import { ZodError } from 'zod';
import { hasScope, type Ctx } from '../../context/ctx.ts';
import { innerCalls, ToolRefusal } from './inner-calls.ts';
import { aboutData, markedData } from './marked-data.ts';
import { readTools } from './read-tools.ts';
import type { McpTool } from './tool.ts';
import { writeTools } from './write-tools.ts';

/** The time in which a tool must answer. */
const toolMs = 20_000;

const instructions = `CloudFit watches devices, opens work units by rules and notifies people. ${aboutData} Tools that change something first say what they would do; ask the person before you confirm.`;

export interface McpCall {
  app: FastifyInstance;
  ctx: Ctx;
  /** The address of the caller. */
  address: string;
  version: string;
}

/** Runs a tool and returns its result; a refusal is a result too, so that the assistant reads it. */
async function resultOf(tool: McpTool, { app, ctx, address }: McpCall, input: unknown) {
  const text = (content: string) => ({ content: [{ type: 'text' as const, text: content }] });
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new ToolRefusal(`${tool.name} did not finish within ${toolMs / 1_000} s. Ask for less.`)), toolMs);
  });
  try {
    return text(markedData(await Promise.race([tool.run(innerCalls(app, ctx, address, tool.name), input), late])));
  } catch (error) {
    if (error instanceof ToolRefusal || error instanceof ZodError) return { ...text(error.message), isError: true };
    ctx.log.error({ err: error, tool: tool.name }, 'A tool failed.');
    return { ...text('The tool failed. Its request id is in the log of the server.'), isError: true };
  } finally {
    clearTimeout(timer);
  }
}

/** The tools of the caller: those that change something need the scope, and nobody changes anything as another person. */
export function toolsFor(ctx: Ctx): readonly McpTool[] {
  const mayWrite = ctx.actor.kind === 'token' && hasScope(ctx, 'assistant') && ctx.seer === undefined;
  return mayWrite ? [...readTools, ...writeTools] : readTools;
}

/** Answers a message, without a session: any server of an installation answers any message. */
export async function answerMcp(call: McpCall, request: Request, parsedBody: unknown): Promise<Response> {
  const server = new McpServer(
    { name: 'cloudfit', title: 'CloudFit', version: call.version },
    { instructions, capabilities: { tools: {} } },
  );
  for (const tool of toolsFor(call.ctx)) {
    const { name, title, about: description, input, writes } = tool;
    const annotations = { readOnlyHint: !writes, destructiveHint: false, idempotentHint: !writes, openWorldHint: false };
    // Strict, because a search by a name that no tool reads would answer everything as if it matched.
    server.registerTool(name, { title, description, inputSchema: input.strict(), annotations }, (values: unknown) =>
      resultOf(tool, call, values),
    );
  }
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    return await transport.handleRequest(request, { parsedBody });
  } finally {
    await server.close();
  }
}
