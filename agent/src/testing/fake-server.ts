/** A fake server for tests of the agent: stores each messageId once, and can stop, fail, or lose its answers. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { decodeJwt, type JWTPayload } from 'jose';
import type { InstallationReport, InstallationReports } from '@cloudfit/contract/agent/installations.ts';
import type { AgentConfiguration, AgentLogEntry, AgentLogs, AgentPacket, RegisterRequest } from '@cloudfit/contract/agent/messages.ts';

export interface FakeServer {
  url: string;
  stored: Map<string, AgentPacket>;
  /** Number of packets that were sent again after they had been stored. */
  repeats: number;
  /** How many packets each batch had that was taken. */
  batches: number[];
  registrations: number;
  /** The claims of the assertions by which the agent signed in. */
  signIns: JWTPayload[];
  /** The log of the agent. */
  logged: AgentLogEntry[];
  /** What the agent reported about its packages. */
  installations: InstallationReport[];
  tokens: Set<string>;
  configuration: AgentConfiguration;
  /** The configuration version that the agent has sent last. */
  configurationVersion: string | undefined;
  /** How requests fail: the answer is lost after the packets are stored, or has this status. */
  failure: 'none' | 'lose-answer' | number;
  retryAfter: string | undefined;
  /** Milliseconds by which the server's clock is ahead of this machine's clock. */
  clockAheadMs: number;
  refuse: (packet: AgentPacket) => boolean;
  /** Whether a batch that contains this packet is refused as a whole. */
  spoilsBatch: (packet: AgentPacket) => boolean;
  start(): Promise<void>;
  stop(): Promise<void>;
}

const audience = 'https://cloudfit.example/v1/agent/token';
export const deviceId = '0199aaaa-0000-7000-8000-000000000001';

export async function startFakeServer(): Promise<FakeServer> {
  let server: Server | undefined;
  let port = 0;

  const fake: FakeServer = {
    url: '',
    stored: new Map(),
    repeats: 0,
    batches: [],
    registrations: 0,
    signIns: [],
    logged: [],
    installations: [],
    tokens: new Set(),
    failure: 'none',
    retryAfter: undefined,
    clockAheadMs: 0,
    configurationVersion: undefined,
    refuse: () => false,
    spoilsBatch: () => false,
    configuration: {
      deviceId,
      name: 'test',
      enabled: true,
      heartbeatInterval: 1,
      restartAgentFlag: false,
      traceExpiration: null,
      operations: [],
      packages: [],
      publishers: [],
      onlyTrustedPublishers: false,
      version: 'v1',
    },
    start: async () => {
      server = createServer((request, response) => void answer(request, response));
      await new Promise<void>((resolve) => server?.listen(port, '127.0.0.1', resolve));
      const address = server.address();
      port = typeof address === 'object' && address ? address.port : 0;
      fake.url = `http://127.0.0.1:${port}`;
    },
    stop: async () => {
      const closing = server;
      server = undefined;
      closing?.closeAllConnections();
      await new Promise((resolve) => (closing ? closing.close(resolve) : resolve(undefined)));
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const chunk of request) text += chunk;
    fake.tokens.add(request.headers.authorization ?? '');
    if (typeof fake.failure === 'number') return send(response, fake.failure, { error: { code: 'Unavailable', message: 'Trouble.' } });
    if (request.url === '/v1/agent/token') return signIn(response, new URLSearchParams(text));
    if (request.url === '/v1/agent/register') return send(response, 200, register(JSON.parse(text) as RegisterRequest));
    if (request.url?.startsWith('/v1/agent/configuration')) return configure(request, response);
    if (request.url === '/v1/agent/logs') {
      const { entries } = JSON.parse(text) as AgentLogs;
      fake.logged.push(...entries);
      return send(response, 200, { stored: entries.length });
    }
    if (request.url === '/v1/agent/installations') {
      fake.installations.push(...(JSON.parse(text) as InstallationReports).reports);
      return send(response, 200, {});
    }
    if (request.url === '/healthz') return send(response, 200, { status: 'ok' });
    const packets = JSON.parse(text) as AgentPacket[];
    if (packets.some(fake.spoilsBatch)) return send(response, 400, { error: { code: 'InvalidBody', message: 'Spoilt.' } });
    fake.batches.push(packets.length);
    const value = packets.map(store);
    if (fake.failure === 'lose-answer') return void request.socket.destroy();
    const isRefused = value.length > 0 && value.every(({ status }) => status === 'refused');
    send(response, isRefused ? 400 : 200, isRefused ? { error: { code: 'ValidationFailed', message: 'Too old.' }, value } : { value });
  }

  /** Answers as if the machine was promoted between its first and second sign-in. */
  function signIn(response: ServerResponse, form: URLSearchParams): void {
    fake.signIns.push(decodeJwt(form.get('client_assertion') ?? ''));
    if (fake.signIns.length < 2) return send(response, 400, { error: 'authorization_pending', error_description: 'It waits.' });
    send(response, 200, { access_token: `device-${fake.signIns.length}`, token_type: 'Bearer', expires_in: 600 });
  }

  /** Answers as the real server does: each registration with a public key gets the audience of the key's assertions. */
  function register({ publicKey }: RegisterRequest) {
    fake.registrations++;
    if (fake.configuration.restartAgentFlag) fake.configuration = { ...fake.configuration, restartAgentFlag: false, version: randomUUID() };
    const promoted = fake.registrations < 2 ? { status: 'pending' } : { status: 'promoted', deviceId };
    return { ...promoted, pendingDeviceId: deviceId, ...(publicKey && { audience }) };
  }

  function configure(request: IncomingMessage, response: ServerResponse): void {
    fake.configurationVersion = request.headers['if-none-match'];
    if (request.headers['if-none-match'] !== `"${fake.configuration.version}"`) return send(response, 200, fake.configuration);
    const poll = setInterval(() => {
      if (request.headers['if-none-match'] === `"${fake.configuration.version}"`) return;
      clearInterval(poll);
      send(response, 200, fake.configuration);
    }, 20);
    request.socket.on('close', () => clearInterval(poll));
  }

  function store(packet: AgentPacket, index: number) {
    if (fake.refuse(packet)) return { index, entityId: packet.entityId, status: 'refused', message: 'Too old.' };
    const status = fake.stored.has(packet.messageId) ? 'duplicate' : 'stored';
    if (status === 'duplicate') fake.repeats++;
    fake.stored.set(packet.messageId, packet);
    return { index, entityId: packet.entityId, status };
  }

  function send(response: ServerResponse, status: number, body: object): void {
    response.writeHead(status, {
      'content-type': 'application/json',
      date: new Date(Date.now() + fake.clockAheadMs).toUTCString(),
      ...(fake.retryAfter === undefined ? {} : { 'retry-after': fake.retryAfter }),
    });
    response.end(JSON.stringify(body));
  }

  await fake.start();
  return fake;
}

/** Polls until the condition is true, at most a minute, also while a test has set the clock. */
export async function waitUntil(condition: () => boolean, what: string): Promise<void> {
  for (const end = performance.now() + 60_000; !condition();) {
    if (performance.now() > end) throw new Error(`Did not happen within a minute: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
