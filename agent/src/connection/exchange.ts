/** HTTP exchanges by node:http and node:https. `fetch` would cost 14 MB of memory and does not run under Wine. */
import { Agent as HttpAgent, request as requestHttp, type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net';

export interface Exchange {
  method: string;
  headers: Record<string, string>;
  body?: string;
  signal: AbortSignal;
}

export interface ExchangeAnswer {
  status: number;
  headers: IncomingMessage['headers'];
  text: string;
}

type OpenRequest = (url: string, options: RequestOptions, onAnswer: (answer: IncomingMessage) => void) => ClientRequest;

/** Milliseconds that an idle connection stays open (less if the server's Keep-Alive says so), to avoid TLS handshakes. */
const idleMs = 120_000;

/**
 * Milliseconds that one address of the server has to accept a connection. Node's own 250 are less than a far or busy way needs, and
 * the last address would have as long as the system lets it.
 */
const connectMs = 5_000;
/** Milliseconds within which a proxy opens a tunnel to the server, by any of its addresses. */
const tunnelMs = 15_000;

/** Ends a request whose address drops what it gets. The time begins with each address, so that a slow name server does not count. */
export function limitConnecting(request: ClientRequest): void {
  request.on('socket', (socket) => {
    if (!socket.connecting) return;
    let timer: NodeJS.Timeout | undefined;
    socket.on('connectionAttempt', (address: string, port: number) => {
      clearTimeout(timer);
      // Later than Node's own limit, after which the next address has its turn.
      timer = setTimeout(
        () => request.destroy(new Error(`${address} port ${port} does not answer within ${connectMs / 1_000} s`)),
        connectMs + 500,
      );
    });
    const stop = () => clearTimeout(timer);
    socket.once('connect', stop).once('close', stop);
  });
}

/** The variables that name a proxy and the hosts that are reached without it; others, such as HTTPS_PROXY in capitals, are not needed. */
export interface ProxyEnvironment {
  http_proxy?: string;
  https_proxy?: string;
  no_proxy?: string;
}

/**
 * Trusts what the machine trusts, such as a private authority in its store, however the agent was started. The programs that the
 * agent starts, which are its own Node, get this by a variable.
 */
async function trustSystemAuthorities(): Promise<void> {
  if (process.env['NODE_USE_SYSTEM_CA'] !== undefined) return;
  const { getCACertificates, setDefaultCACertificates } = await import('node:tls');
  setDefaultCACertificates([...new Set([...getCACertificates('default'), ...getCACertificates('system')])]);
  process.env['NODE_USE_SYSTEM_CA'] = '1';
}

export interface Exchanges {
  /** Resolves when the whole answer has arrived. */
  whole(path: string, exchange: Exchange): Promise<ExchangeAnswer>;
  /** Resolves when the headers of the answer have arrived; the caller reads the body. */
  begin(path: string, exchange: Exchange): Promise<IncomingMessage>;
}

/** Prepares exchanges with one server, through a proxy if `proxy` names one. Loads TLS only for an https address, to save memory. */
export async function openExchange(url: string, proxy: ProxyEnvironment | undefined): Promise<Exchanges> {
  // As a default, because connections to a proxy are opened without the options of the agent.
  setDefaultAutoSelectFamilyAttemptTimeout(connectMs);
  const options = { keepAlive: true, timeout: idleMs, ...(proxy && { proxyEnv: { ...proxy } }) };
  let open: OpenRequest;
  if (url.startsWith('https:')) {
    const { Agent, request } = await import('node:https');
    await trustSystemAuthorities();
    const agent = new Agent(options);
    open = (to, parameters, onAnswer) => request(to, { ...parameters, agent }, onAnswer);
  } else {
    const agent = new HttpAgent(options);
    open = (to, parameters, onAnswer) => requestHttp(to, { ...parameters, agent }, onAnswer);
  }
  const begin = (path: string, exchange: Exchange, mayRepeat = true): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const { method, signal, body } = exchange;
      const headers = body === undefined ? exchange.headers : { ...exchange.headers, 'content-length': String(Buffer.byteLength(body)) };
      // A tunnel through a proxy ends by this limit alone, not by the signal; elsewhere it has no effect.
      const request = open(url + path, { method, headers, signal, timeout: tunnelMs }, resolve);
      limitConnecting(request);
      request.on('error', (error: NodeJS.ErrnoException) => {
        // Repeats the request once if the server closed the idle connection at the moment at which it was used again.
        if (mayRepeat && request.reusedSocket && error.code === 'ECONNRESET') resolve(begin(path, exchange, false));
        else reject(error);
      });
      request.end(body);
    });
  return {
    begin,
    whole: async (path, exchange) => {
      const answer = await begin(path, exchange);
      const parts: Buffer[] = [];
      for await (const part of answer) parts.push(part as Buffer);
      return { status: answer.statusCode ?? 0, headers: answer.headers, text: Buffer.concat(parts).toString() };
    },
  };
}
