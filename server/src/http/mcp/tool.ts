/** What a tool of the MCP server is. */
import type { z } from 'zod';
import { literal } from '@cloudfit/contract/query/build.ts';
import { ToolRefusal, type InnerCalls } from './inner-calls.ts';

export interface McpTool {
  name: string;
  title: string;
  /** What it does and when to use it, for the assistant. */
  about: string;
  input: z.ZodObject;
  /** Whether it changes something: offered only to tokens with the scope assistant. */
  writes: boolean;
  run: (calls: InnerCalls, input: unknown) => Promise<object>;
}

/** Declares a tool; its input is parsed by its schema before it runs. */
export function defineTool<I extends z.ZodObject>(
  tool: Omit<McpTool, 'input' | 'writes' | 'run'> & {
    input: I;
    writes?: true;
    run: (calls: InnerCalls, input: z.output<I>) => Promise<object>;
  },
): McpTool {
  return { ...tool, writes: tool.writes ?? false, run: (calls, input) => tool.run(calls, tool.input.parse(input)) };
}

/** The text as a literal of the query language. */
export const quoted = (text: string): string => literal('text', text) ?? 'null';

const guid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** The unit that people know by this number. */
export async function unitByNumber(calls: InnerCalls, number: number) {
  const { value } = await calls.list('workUnits', { filter: `publicWorkUnitId eq ${number}`, top: 1 });
  const [unit] = value;
  if (!unit) throw new ToolRefusal(`There is no work unit ${number} that you may see.`);
  return unit;
}

/** The device of this name or id. */
export async function deviceNamed(calls: InnerCalls, name: string) {
  const filter = guid.test(name) ? `deviceId eq ${name}` : `name eq ${quoted(name)}`;
  const { value } = await calls.list('devices', { filter, top: 5 });
  const [device] = value;
  if (!device) throw new ToolRefusal(`There is no device ${name} that you may see. search_devices finds devices by a part of their name.`);
  if (value.length > 1)
    throw new ToolRefusal(`Several devices have this name; use an id: ${value.map(({ deviceId }) => deviceId).join(', ')}`);
  return device;
}
