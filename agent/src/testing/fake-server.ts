/** A server as the agent sees it: keeps each messageId once, and can go away, fail, or lose its answers. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AgentConfiguration, AgentLogEntry, AgentLogs, AgentPacket } from '@cloudfit/contract/agent/messages.ts';

export interface FakeServer {
  url: string;
  stored: Map<string, AgentPacket>;
  /** Packets that came again after they had been stored. */
  repeats: number;
  registrations: number;
  /** What the agent logged. */
  logged: AgentLogEntry[];
  tokens: Set<string>;
  configuration: AgentConfiguration;
  /** The version that the agent said it holds. */
  held: string | undefined;
  /** What happens to the next requests: the answer is lost after the work, or is this status. */
  trouble: 'none' | 'lose-answer' | number;
  retryAfter: string | undefined;
  refuse: (packet: AgentPacket) => boolean;
  /** The body is spoilt as a whole when it holds such a packet. */
  poison: (packet: AgentPacket) => boolean;
  up(): Promise<void>;
  away(): Promise<void>;
}

export const deviceId = '0199aaaa-0000-7000-8000-000000000001';

export async function fakeServer(): Promise<FakeServer> {
  let server: Server | undefined;
  let port = 0;

  const fake: FakeServer = {
    url: '',
    stored: new Map(),
    repeats: 0,
    registrations: 0,
    logged: [],
    tokens: new Set(),
    trouble: 'none',
    retryAfter: undefined,
    held: undefined,
    refuse: () => false,
    poison: () => false,
    configuration: {
      deviceId,
      name: 'test',
      enabled: true,
      heartbeatInterval: 1,
      restartAgentFlag: false,
      traceExpiration: null,
      operations: [],
      packages: [],
      version: 'v1',
    },
    up: async () => {
      server = createServer((request, response) => void answer(request, response));
      await new Promise<void>((resolve) => server?.listen(port, '127.0.0.1', resolve));
      const address = server.address();
      port = typeof address === 'object' && address ? address.port : 0;
      fake.url = `http://127.0.0.1:${port}`;
    },
    away: async () => {
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
    if (typeof fake.trouble === 'number') return send(response, fake.trouble, { error: { code: 'Unavailable', message: 'Trouble.' } });
    if (request.url === '/v1/agent/register') return send(response, 200, register());
    if (request.url?.startsWith('/v1/agent/configuration')) return configure(request, response);
    if (request.url === '/v1/agent/logs') {
      const { entries } = JSON.parse(text) as AgentLogs;
      fake.logged.push(...entries);
      return send(response, 200, { stored: entries.length });
    }
    const packets = JSON.parse(text) as AgentPacket[];
    if (packets.some(fake.poison)) return send(response, 400, { error: { code: 'InvalidBody', message: 'Spoilt.' } });
    const value = packets.map(keep);
    if (fake.trouble === 'lose-answer') return void request.socket.destroy();
    send(response, 200, { value });
  }

  function register() {
    fake.registrations++;
    if (fake.configuration.restartAgentFlag) fake.configuration = { ...fake.configuration, restartAgentFlag: false, version: randomUUID() };
    return fake.registrations < 2
      ? { status: 'pending', pendingDeviceId: deviceId }
      : { status: 'promoted', pendingDeviceId: deviceId, deviceId };
  }

  function configure(request: IncomingMessage, response: ServerResponse): void {
    fake.held = request.headers['if-none-match'];
    if (request.headers['if-none-match'] !== `"${fake.configuration.version}"`) return send(response, 200, fake.configuration);
    const poll = setInterval(() => {
      if (request.headers['if-none-match'] === `"${fake.configuration.version}"`) return;
      clearInterval(poll);
      send(response, 200, fake.configuration);
    }, 20);
    request.socket.on('close', () => clearInterval(poll));
  }

  function keep(packet: AgentPacket, index: number) {
    if (fake.refuse(packet)) return { index, entityId: packet.entityId, status: 'refused', message: 'Too old.' };
    const status = fake.stored.has(packet.messageId) ? 'duplicate' : 'stored';
    if (status === 'duplicate') fake.repeats++;
    fake.stored.set(packet.messageId, packet);
    return { index, entityId: packet.entityId, status };
  }

  function send(response: ServerResponse, status: number, body: object): void {
    response.writeHead(status, {
      'content-type': 'application/json',
      ...(fake.retryAfter === undefined ? {} : { 'retry-after': fake.retryAfter }),
    });
    response.end(JSON.stringify(body));
  }

  await fake.up();
  return fake;
}

/** Polls until `holds`, at most 20 s. */
export async function until(holds: () => boolean, what: string): Promise<void> {
  for (const end = Date.now() + 20_000; !holds();) {
    if (Date.now() > end) throw new Error(`Did not come about within 20 s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
