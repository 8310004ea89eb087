/** What a service with an API does for a subscription: it gets what happens to a work unit, in its form. */
import type { LinkingService } from '@cloudfit/contract/events/services.ts';
import type { OutboundAnswer } from '../../outbound/http.ts';

/** The ticket or message of a unit. `at`: the time there of its state. */
export interface LinkState {
  key: string;
  name: string;
  url: string | null;
  state: string | null;
  at: string | null;
}

/** The reference of a unit, and the settings by which it is judged. */
export interface ReferenceOfUnit {
  url: string;
  id: string;
  place: string;
  address: string;
}

interface NoteNews {
  id: number;
  text: string;
  by: string;
  isExternal: boolean;
}

/** What happened to a unit. */
export interface ServiceNews {
  deed: 'opened' | 'state' | 'changed' | 'note';
  /** The event: its id, its number in this installation, and when it happened. */
  eventId: string;
  eventNumber: number;
  occurred: Date;
  workUnitId: number;
  publicId: number;
  title: string;
  description: string;
  resolution: string;
  stateId: string;
  severityId: string;
  isEnded: boolean;
  /** Whether it has ended by now: nothing is made for it any more. */
  isOver: boolean;
  tenantName: string;
  /** The names of who works on it, and of who changed it last. */
  assignee: string | undefined;
  by: string;
  changes: Readonly<Record<string, { from: unknown; to: unknown }>>;
  note: NoteNews | undefined;
  /** Its page. */
  url: string;
}

/** The settings of a subscription to a service. */
export interface ServiceTarget {
  eventSubscriptionId: string;
  name: string;
  service: LinkingService;
  address: string;
  place: string;
  itemType: string;
  creates: boolean;
  externalOnly: boolean;
  /** Where the service calls back. */
  callUrl: string;
  /** What proves that a button is of this subscription: the service sends it back. */
  seal: (text: string) => string;
  acknowledgeUrl: (workUnitId: number) => string;
}

interface ServiceRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  path: string;
  body?: object;
}

/** A call that the service has refused. `isFinal`: it would refuse it for ever, and others not. */
export class ServiceRefusal extends Error {
  readonly answer: OutboundAnswer | undefined;
  readonly isFinal: boolean;
  constructor(message: string, answer: OutboundAnswer | undefined, isFinal: boolean) {
    super(message);
    this.answer = answer;
    this.isFinal = isFinal;
  }
}

/** Returns the JSON of the answer, that of a list as `items`. */
export type CallService = (request: ServiceRequest) => Promise<Record<string, unknown>>;

/**
 * Asks the service for what an earlier try may have made there, whose answer was lost: its connection broke, or this process was killed.
 * Returns undefined, without a call, at the first try; and where the service does not let the token look.
 */
type LookBack = <T>(look: () => Promise<T | undefined>) => Promise<T | undefined>;

export interface ServiceParts {
  call: CallService;
  lookBack: LookBack;
  /** Stores the link at once, so that a later failure makes no second ticket. */
  store: (state: LinkState) => Promise<void>;
}

export interface Service {
  headers: (token: string) => Readonly<Record<string, string>>;
  /** The token is the query of the address, as in addresses of workflows. */
  tokenIsQuery?: boolean;
  /** Why an answer with status 2xx is none of success; undefined when it is one. */
  refusal?: (answer: Readonly<Record<string, unknown>>) => { message: string; isFinal: boolean } | undefined;
  /** Whether an answer that is no success would be the same for ever. */
  isFinal: (status: number) => boolean;
  /** Says that the subscription works. */
  test: (target: ServiceTarget, parts: ServiceParts) => Promise<void>;
  /** Brings the ticket or message in step. A call that must not come twice looks back first. */
  tell: (news: ServiceNews, link: LinkState | undefined, target: ServiceTarget, parts: ServiceParts) => Promise<void>;
}

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '');

/** The value at a path of a JSON document; undefined where it ends before. */
export function valueAt(value: unknown, ...path: readonly string[]): unknown {
  let at = value;
  for (const name of path) {
    if (typeof at !== 'object' || at === null) return undefined;
    at = (at as Record<string, unknown>)[name];
  }
  return at;
}

export const textAt = (value: unknown, ...path: readonly string[]): string => textOf(valueAt(value, ...path));

const visible = ['title', 'severityId', 'stateId', 'assignedTo'] as const;

/** Whether an event changes what a message shows. */
export const isVisibleChange = ({ deed, changes }: ServiceNews): boolean => deed !== 'note' && visible.some((field) => changes[field]);

/** What a dialog asks, and what the chat sends back with its answer. */
interface ChatQuestion {
  trigger: { id: string; proof: string };
  linkKey: string;
  workUnitId: number;
  title: string;
  /** What is entered before anybody types. */
  resolution: string;
  callUrl: string;
}

/** What a chat says of a user. `email`: an address that it has verified; undefined when it has none, or not for this caller. */
interface ChatUserFacts {
  name: string;
  email: string | undefined;
  isBot: boolean;
}

/** What one user is to read. `connectUrl`: where they connect their account. */
export interface PrivateMessage {
  text: string;
  connectUrl: string | undefined;
}

/** What comes back from a chat. A `linkKey` names a message. */
export interface Chat {
  userOf: (user: string, call: CallService) => Promise<ChatUserFacts>;
  /** Says something to one user only. */
  whisper: (linkKey: string, user: string, message: PrivateMessage, call: CallService) => Promise<void>;
  /** The thread of a post, where a call does not name it. */
  threadOf?: (postId: string, call: CallService) => Promise<string | undefined>;
  /** Opens a dialog that asks how the unit was resolved. */
  ask: (question: ChatQuestion, call: CallService) => Promise<void>;
  /** The answer to a sent dialog; `text` is why nothing was done. */
  answerDialog: (text: string | undefined) => object;
  /** What the app needs so that addresses can be read. */
  hint: string;
  /** The answer to a call, with what the user is to read, where the answer can say it. */
  answer: (message: PrivateMessage | undefined) => object;
}
