/**
 * A hand-written check equivalent to the schema `packetMessage` of the contract. It is much faster, and every packet passes
 * through it.
 */
import { limits } from '@cloudfit/contract/limits.ts';
import type { PacketMessage } from '@cloudfit/contract/resources/packets.ts';
import { refusals, type PacketRefusal } from './refusals.ts';

const messageFields = ['Value', 'Properties', 'Metrics', 'States', 'Diagnostics'] as const;

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isScalar(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'boolean' || value === null || (typeof value === 'number' && Number.isFinite(value));
}

/** Whether a parsed value is not too deep, and each number is finite: a number that overflowed (1e999) is not. */
function isJson(value: unknown, depth: number): boolean {
  if (isScalar(value)) return true;
  if (typeof value !== 'object' || depth > limits.jsonDepth) return false;
  if (Array.isArray(value)) return value.every((item) => isJson(item, depth + 1));
  for (const key in value) if (!isJson((value as Record<string, unknown>)[key], depth + 1)) return false;
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

interface PacketSize {
  keys: number;
  values: number;
}

/** Counts the property names and values at any depth; stops soon after a limit is exceeded. */
function addSize(size: PacketSize, value: unknown): void {
  size.values += 1;
  if (typeof value !== 'object' || value === null || size.keys > limits.packetKeys || size.values > limits.packetValues) return;
  if (Array.isArray(value)) for (const item of value) addSize(size, item);
  else
    for (const key in value) {
      size.keys += 1;
      addSize(size, (value as Record<string, unknown>)[key]);
    }
}

/**
 * The length below which no JSON text exceeds a limit: a key takes five characters (`"":1,`), a value two, a character at most
 * three bytes.
 */
const shortText = Math.min(limits.packetKeys * 5, limits.packetValues * 2, limits.packetBytes / 3);

/**
 * Returns why a valid message is too large; undefined if it is not. Limits are needed so that one packet does not take the time
 * of many. `json` is the text of the message.
 */
export function sizeProblem(message: PacketMessage, json: string): PacketRefusal | undefined {
  if (json.length < shortText) return undefined;
  const size: PacketSize = { keys: 0, values: 0 };
  for (const part of [message.Metrics, message.Properties, message.States, message.Diagnostics]) addSize(size, part);
  if (size.keys > limits.packetKeys) return refusals.tooManyKeys;
  if (size.values > limits.packetValues) return refusals.tooManyValues;
  return Buffer.byteLength(json) > limits.packetBytes ? refusals.tooLarge : undefined;
}

/** The problem of a message; undefined when there is none. */
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

/**
 * Returns the problem of a message that has only unknown fields: it would be stored empty. Unknown fields beside known fields
 * are permitted, because newer agents may send them.
 */
export function nothingKnown(message: Record<string, unknown>, stored: PacketMessage): string | undefined {
  if (stored === message || Object.keys(stored).length > 0) return undefined;
  const sent = Object.keys(message).slice(0, 5).join(', ').slice(0, 200);
  return `message has only ${sent}; it takes ${messageFields.join(', ')}. Numbers with names of their own belong in Metrics.`;
}

// PostgreSQL's jsonb accepts neither NUL nor a lone surrogate.
const unstorable = /\\u0000|\\ud[89a-f]/;
const escapedBackslashes = /\\\\/g;

/** Whether PostgreSQL can store this text, which comes from `JSON.stringify`. */
export function isStorable(json: string): boolean {
  return !json.includes('\\') || !unstorable.test(json) || !unstorable.test(json.replace(escapedBackslashes, ''));
}
