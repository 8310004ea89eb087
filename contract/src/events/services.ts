/** Receivers of events that have an API: trackers, which have a ticket for each work unit, and chats, which have a message. */
export const services = ['CloudEvents', 'GitHub', 'Jira', 'ServiceNow', 'Slack', 'Mattermost', 'Teams'] as const;
export type ServiceName = (typeof services)[number];
/** Those with a ticket or message for each unit. */
export type LinkingService = Exclude<ServiceName, 'CloudEvents'>;

/** What a subscription needs of a service. */
interface ServiceFacts {
  kind: 'events' | 'tracker' | 'chat';
  /** What `place` must look like; absent where there is none. */
  place?: { pattern: RegExp; message: string };
  needsToken: boolean;
  /** Whether calls from there are signed by a secret that the service makes. */
  signsItself: boolean;
  /** The type of a ticket, or the code with which one is closed, when the subscription names none. */
  itemType?: string;
}

const channel = (message: string) => ({ pattern: /^[A-Za-z0-9]{8,40}$/, message });

export const serviceFacts: Readonly<Record<ServiceName, ServiceFacts>> = {
  CloudEvents: { kind: 'events', needsToken: false, signsItself: false },
  GitHub: {
    kind: 'tracker',
    place: { pattern: /^[\w.-]+\/[\w.-]+$/, message: 'Please enter the repository as owner/name.' },
    needsToken: true,
    signsItself: false,
  },
  Jira: {
    kind: 'tracker',
    place: { pattern: /^[A-Z][A-Z0-9_]+$/, message: 'Please enter the key of the project, such as OPS.' },
    needsToken: true,
    signsItself: false,
    itemType: 'Task',
  },
  ServiceNow: {
    kind: 'tracker',
    place: { pattern: /^[a-z][a-z0-9_]*$/, message: 'Please enter the name of the table, such as incident.' },
    needsToken: true,
    signsItself: false,
    itemType: 'Solved (Permanently)',
  },
  Slack: { kind: 'chat', place: channel('Please enter the id of the channel, such as C024BE91L.'), needsToken: true, signsItself: true },
  Mattermost: {
    kind: 'chat',
    place: channel('Please enter the id of the channel, of 26 characters.'),
    needsToken: true,
    signsItself: false,
  },
  Teams: { kind: 'chat', needsToken: true, signsItself: false },
};

/** The address at which a service calls back, below the address of CloudFit. */
export const serviceCallPath = (eventSubscriptionId: string): string => `/v1/eventSubscriptions/${eventSubscriptionId}/calls`;
