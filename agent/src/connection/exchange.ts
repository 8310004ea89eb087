/** One HTTP exchange by node:http. `fetch` would cost 14 MB of memory and does not run under Wine. */
import { Agent as HttpAgent, request as requestHttp, type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http';

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

type Open = (url: string, options: RequestOptions, onAnswer: (answer: IncomingMessage) => void) => ClientRequest;

/** A connection stays open between two heartbeats: a new one costs a handshake of some kilobytes. The server's Keep-Alive header shortens this. */
const idleMs = 120_000;

export interface Exchanges {
  /** Resolves when the whole answer has arrived. */
  whole(path: string, exchange: Exchange): Promise<ExchangeAnswer>;
  /** Resolves when an answer begins; the caller reads its body. */
  begin(path: string, exchange: Exchange): Promise<IncomingMessage>;
}

/** Makes exchanges with one server. TLS is loaded when the address asks for it. */
export async function openExchange(url: string): Promise<Exchanges> {
  const options = { keepAlive: true, timeout: idleMs };
  let open: Open;
  if (url.startsWith('https:')) {
    const { Agent, request } = await import('node:https');
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
      const request = open(url + path, { method, headers, signal }, resolve);
      request.on('error', (error: NodeJS.ErrnoException) => {
        // The server may close an idle connection at the moment at which it is used again.
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
