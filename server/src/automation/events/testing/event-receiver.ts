/** A receiver of calls of the server, such as webhooks, which remembers them and answers as a test says. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedEvents {
  path: string;
  headers: http.IncomingHttpHeaders;
  text: string;
}

interface EventReceiver {
  origin: string;
  received: ReceivedEvents[];
  /** Undefined, as without it: 204. */
  answer: ((call: ReceivedEvents) => { status: number; headers?: Record<string, string> } | undefined) | undefined;
  close(): void;
}

export async function openReceiver(): Promise<EventReceiver> {
  const server = http.createServer((request, response) => {
    let text = '';
    request.on('data', (part: Buffer) => (text += part.toString()));
    request.on('end', () => {
      const call = { path: request.url ?? '', headers: request.headers, text };
      receiver.received.push(call);
      const { status, headers } = receiver.answer?.(call) ?? { status: 204 };
      response.writeHead(status, headers).end(status === 204 ? undefined : 'what happened');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const receiver: EventReceiver = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received: [],
    answer: undefined,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return receiver;
}
