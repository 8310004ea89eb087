/** Brings the names and texts of a packet into the form in which rules have theirs, so that what looks the same is the same. */
import { oneLine } from '@cloudfit/contract/one-line.ts';
import type { PacketMessage } from '@cloudfit/contract/resources/packets.ts';
import { refusals } from './refusals.ts';

const beyondAscii = /[^ -~]/;
const escapedControl = /\\[bfnrtu]/;

/**
 * Whether a JSON text has a letter beyond ASCII, an escaped control character, or a name with a blank at one of its ends. Every packet is
 * looked through, so what is rare is searched for by `includes`.
 */
const isPerhapsOther = (json: string): boolean =>
  (json.includes('\\') && escapedControl.test(json)) ||
  json.includes(' ":') ||
  json.includes('," ') ||
  json.includes('{" ') ||
  beyondAscii.test(json);

const perhapsOtherName = /[^ -~]|^ | $/;
const unusable: ReadonlySet<string> = new Set(['__proto__', 'constructor']);

const composed = (value: unknown): unknown => (typeof value === 'string' ? value.normalize('NFC') : value);
const quoted = (name: string): string => JSON.stringify(name.slice(0, 100));

/** Returns the fields of one part with their names in normal form, or why they have none. */
function normalFields(part: string, fields: object): Record<string, unknown> | string {
  const normal = new Map<string, unknown>();
  for (const [name, value] of Object.entries(fields)) {
    const as = perhapsOtherName.test(name) ? oneLine(name) : name;
    if (as === '' && name !== '') return `${part} has a name in which nothing can be seen: ${quoted(name)}.`;
    if (unusable.has(as)) return refusals.poisoned.message;
    if (normal.has(as)) return `${part} has the name ${quoted(as)} twice: names that look the same are the same.`;
    normal.set(as, composed(value));
  }
  return Object.fromEntries(normal);
}

/**
 * Returns the message with the names of its parts as texts of one line (composed, without blanks at their ends, a space for control
 * characters) and their texts composed, or why it is refused. `json` is its text. What lies deeper in Diagnostics stays as it was sent.
 */
export function normalMessage(message: PacketMessage, json: string): PacketMessage | string {
  if (!isPerhapsOther(json)) return message;
  const normal: Record<string, unknown> = { ...message };
  for (const [part, value] of Object.entries(message)) {
    const isFields = typeof value === 'object' && value !== null && !Array.isArray(value);
    const result = isFields ? normalFields(part, value) : composed(value);
    if (isFields && typeof result === 'string') return result;
    normal[part] = result;
  }
  return normal as PacketMessage;
}
