/** `/metrics` on the separate port METRICS_PORT, without a sign-in. */
import { createServer } from 'node:http';
import type { Logger } from 'pino';
import { StartError } from '../../platform/start-error.ts';

interface MetricsServerOptions {
  port: number;
  host: string;
  /** Returns the figures in the text format of Prometheus. */
  read: () => Promise<string>;
  log: Logger;
}

/** The text format of Prometheus. */
const contentType = 'text/plain; version=0.0.4; charset=utf-8';

/** Listens until stopped. */
export async function serveMetrics({ port, host, read, log }: MetricsServerOptions): Promise<{ port: number; stop(): Promise<void> }> {
  const server = createServer((request, response) => {
    const path = request.url?.split('?')[0];
    if (path !== '/metrics' || (request.method !== 'GET' && request.method !== 'HEAD')) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('Metrics are at /metrics.\n');
      return;
    }
    void read()
      .then((text) => response.writeHead(200, { 'content-type': contentType, 'cache-control': 'no-store' }).end(text))
      .catch((error: unknown) => {
        log.warn({ err: error }, 'Metrics could not be written.');
        response.writeHead(500).end();
      });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: Error) => reject(new StartError(`Metrics cannot listen on ${host}:${port}: ${error.message}`)));
    server.listen(port, host, resolve);
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
