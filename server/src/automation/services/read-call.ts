/** How a call of a service is read: whether it is genuine, and what it says. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { LinkState, ServiceTarget } from './service.ts';

export interface IncomingCall {
  /** A header, '' without it. */
  header: (name: string) => string;
  bytes: Buffer;
  query: URLSearchParams;
  at: Date;
}

/** What a call is checked against: the secrets of the subscription, or what its service signs with. */
interface CallSettings extends Pick<ServiceTarget, 'place' | 'address' | 'eventSubscriptionId'> {
  secrets: readonly string[];
  /** The value of the secret of the tenant that the subscription names for signatures. */
  signing: string | undefined;
}

/** What happened to a ticket. */
export interface TicketCall {
  kind: 'ticket';
  /** The id of the delivery, by which a repeat is recognised. */
  callKey: string;
  link: LinkState;
  /** Undefined: it says nothing about that. */
  phase: 'open' | 'closed' | 'gone' | undefined;
  stateText: string;
  by: string;
  comment?: { text: string; by: string; url: string };
  title?: string;
}

export const chatDeeds = ['acknowledge', 'assign', 'resolve'] as const;
type ChatDeed = (typeof chatDeeds)[number];

/** Who has pressed or written. `team`: the workspace of the user, where the chat has several at one address. */
export interface ChatCaller {
  user: string;
  userName?: string;
  team?: string;
  teamName?: string;
}

/** Somebody has pressed a button, or sent the dialog that it has opened. */
export interface ButtonCall extends ChatCaller {
  kind: 'button';
  callKey: string;
  linkKey: string;
  workUnitId: number;
  deed: ChatDeed;
  /** By which a dialog is opened, within seconds, and what proves there that it is of this button. */
  trigger?: { id: string; proof: string };
  /** What was entered in the dialog. */
  entered?: string;
}

/** Somebody has written in the thread of a message. */
export interface ReplyCall extends ChatCaller {
  kind: 'reply';
  callKey: string;
  /** Undefined: the service must be asked of which thread the post `postId` is. */
  linkKey: string | undefined;
  postId?: string;
  text: string;
}

export type ReadResult =
  | { kind: 'refused'; message: string }
  | { kind: 'malformed'; message: string }
  | { kind: 'answer'; body: object }
  | TicketCall
  | ButtonCall
  | ReplyCall;

export type ReadCall = (call: IncomingCall, settings: CallSettings) => ReadResult;

/** Compares without telling by its time how much is right. */
export function isSame(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Whether a signature `sha256=<hex>` is that of the bytes under one of the secrets. */
export function hmacMatches(signature: string, secrets: readonly string[], bytes: Buffer): boolean {
  const [, hex] = /^sha256=([0-9a-f]{64})$/i.exec(signature.trim()) ?? [];
  if (hex === undefined) return false;
  return secrets.some((secret) => isSame(createHmac('sha256', secret).update(bytes).digest('hex'), hex.toLowerCase()));
}

export function parsedJson(text: string): Record<string, unknown> | undefined {
  try {
    const json: unknown = JSON.parse(text);
    return typeof json === 'object' && json !== null && !Array.isArray(json) ? (json as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** The JSON of a body, also of a form whose field `payload` has it; undefined if there is none. */
export function jsonOf(contentType: string, bytes: Buffer): Record<string, unknown> | undefined {
  const text = bytes.toString();
  return parsedJson(/^application\/x-www-form-urlencoded/i.test(contentType) ? (new URLSearchParams(text).get('payload') ?? '') : text);
}
