/** A hand-written check equal to the schema `packetMessage` of the contract. It costs a fraction, and every packet passes it. */
import { limits } from '@cloudfit/contract/limits.ts';
import type { PacketMessage } from '@cloudfit/contract/resources/packets.ts';

const messageFields = ['Value', 'Properties', 'Metrics', 'States', 'Diagnostics'] as const;

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isScalar(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'boolean' || value === null || (typeof value === 'number' && Number.isFinite(value));
}

/** In parsed JSON only a number that overflowed (1e999) is not finite. */
function isJson(value: unknown, depth: number): boolean {
  if (isScalar(value)) return true;
  if (typeof value !== 'object' || depth > limits.jsonDepth) return false;
  for (const key in value as object) if (!isJson((value as Record<string, unknown>)[key], depth + 1)) return false;
  return true;
}

function scalarsProblem(name: string, value: unknown): string | undefined {
  if (!isObject(value)) return `${name} must be an object.`;
  for (const key in value) if (!isScalar(value[key])) return `${name}.${key} must be text, a number or a boolean.`;
  return undefined;
}

function metricsProblem(value: unknown): string | undefined {
  if (!isObject(value)) return 'Metrics must be an object.';
  for (const key in value) {
    const metric = value[key];
    if (typeof metric !== 'number' || !Number.isFinite(metric)) return `Metrics.${key} must be a number.`;
  }
  return undefined;
}

export const tooManyKeys = `A packet has at most ${limits.packetKeys} keys in Metrics, Properties, States and Diagnostics together; send the rest in further packets.`;
export const packetTooLarge = 'A packet has at most 1 MB; send it in parts.';

/** Number of property names at any depth; stops soon after the limit. */
function keysIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let keys = 0;
  for (const key in value) {
    keys += (Array.isArray(value) ? 0 : 1) + keysIn((value as Record<string, unknown>)[key]);
    if (keys > limits.packetKeys) return keys;
  }
  return keys;
}

/** Why a checked message is too large, or undefined: one packet must not take the time of many. */
export function sizeProblem(message: PacketMessage): string | undefined {
  const { Metrics, Properties, States, Diagnostics } = message;
  let keys = 0;
  for (const part of [Metrics, Properties, States, Diagnostics]) keys += keysIn(part);
  return keys > limits.packetKeys ? tooManyKeys : undefined;
}

/** What is wrong with a message, or nothing. */
export function messageProblem(message: unknown): string | undefined {
  if (!isObject(message)) return 'message must be an object.';
  if (message['Value'] !== undefined && !isScalar(message['Value'])) return 'Value must be text, a number or a boolean.';
  if (message['Metrics'] !== undefined) {
    const problem = metricsProblem(message['Metrics']);
    if (problem) return problem;
  }
  for (const name of ['Properties', 'States'] as const) {
    const problem = message[name] === undefined ? undefined : scalarsProblem(name, message[name]);
    if (problem) return problem;
  }
  if (message['Diagnostics'] !== undefined && !isJson(message['Diagnostics'], 2)) return 'Diagnostics cannot be stored.';
  return undefined;
}

function isKnown(key: string): boolean {
  return key === 'Value' || key === 'Properties' || key === 'Metrics' || key === 'States' || key === 'Diagnostics';
}

/** Drops unknown fields of a checked message; returns the message itself when it has none. */
export function knownFields(message: Record<string, unknown>): PacketMessage {
  for (const key in message) {
    if (!isKnown(key))
      return Object.fromEntries(
        messageFields.filter((name) => message[name] !== undefined).map((name) => [name, message[name]]),
      ) as PacketMessage;
  }
  return message as PacketMessage;
}

// PostgreSQL's jsonb accepts neither NUL nor a lone surrogate.
const unstorable = /\\u0000|\\ud[89a-f]/;
const escapedBackslashes = /\\\\/g;

/** Whether PostgreSQL can store this text, which comes from `JSON.stringify`. */
export function isStorable(json: string): boolean {
  return !unstorable.test(json) || !unstorable.test(json.replace(escapedBackslashes, ''));
}
