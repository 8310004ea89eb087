/** Serves the API in the process of the bench. */
import { pino } from 'pino';
import { createAuthenticator } from '../server/src/auth/authenticate.ts';
import { foreignIssuer } from '../server/src/auth/token-issuer.ts';
import { openHopCounts } from '../server/src/context/hop-count.ts';
import type { Database } from '../server/src/db/connection.ts';
import { createHttpServer, type ServerOptions } from '../server/src/http/server.ts';

/** Serves the API with the given actions and raw routes only: no portal, no sign-in by people, only tokens. */
export async function serveApi(
  database: Database,
  { actions = [], rawRoutes = [], intake }: Partial<Pick<ServerOptions['api'], 'actions' | 'rawRoutes'> & Pick<ServerOptions, 'intake'>>,
): Promise<{ port: number; close(): Promise<void> }> {
  const log = pino({ level: 'error' });
  const authenticator = await createAuthenticator({
    database,
    log,
    issuer: foreignIssuer({ authority: 'http://localhost:1', audience: 'bench' }),
  });
  const app = await createHttpServer({
    log,
    database,
    publicUrl: 'http://localhost',
    trustProxy: false,
    ...(intake ? { intake } : {}),
    portal: { folder: '/nowhere', authority: 'http://localhost:1' },
    api: {
      authenticator,
      hopCounts: openHopCounts({ signatures: () => [] }),
      database,
      actions,
      rawRoutes,
      publicUrl: 'http://localhost',
    },
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const address = app.server.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    async close() {
      await app.close();
      await authenticator.close();
    },
  };
}
