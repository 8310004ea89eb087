import { createServer, request as forwardRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface FaultyProxy {
  address: string;
  /** The `Range` of each request for a file. */
  ranges: (string | undefined)[];
  /** Bytes of files that were passed on. */
  passed: number;
  close(): void;
}

/** What is wrong with an answer: after how many bytes it breaks off, the pause after a chunk, whether its first byte is changed. */
interface Fault {
  bytes?: number;
  pauseMs?: number;
  damages?: boolean;
}

/** Forwards to the server at `url`. `faultOf` names the fault of the n-th answer with the file of a package. */
export async function openFaultyProxy(url: string, faultOf: (request: number) => Fault): Promise<FaultyProxy> {
  const server = createServer((request, response) => {
    const isFile = request.url?.endsWith('/content') ?? false;
    const { bytes = Infinity, pauseMs = 0, damages = false } = isFile ? faultOf(proxy.ranges.push(request.headers.range)) : {};
    const forward = forwardRequest(`${url}${request.url}`, { method: request.method, headers: request.headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      void (async () => {
        let passed = 0;
        for await (const part of answer as AsyncIterable<Buffer>) {
          if (damages && passed === 0 && answer.statusCode === 200) part[0] = 0;
          passed += part.length;
          if (isFile) proxy.passed += part.length;
          response.write(part);
          if (passed > bytes) return void response.destroy();
          if (pauseMs > 0) await sleep(pauseMs);
        }
        response.end();
      })().catch(() => response.destroy());
    });
    forward.on('error', () => response.destroy());
    response.on('close', () => forward.destroy());
    request.pipe(forward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxy: FaultyProxy = {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ranges: [],
    passed: 0,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return proxy;
}
