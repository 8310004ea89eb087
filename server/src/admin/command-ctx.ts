/** The ctx of commands that go through the engine. */
import pino from 'pino';
import { systemCtx } from '../auth/system-ctx.ts';
import type { Ctx } from '../context/ctx.ts';
import type { Database } from '../db/connection.ts';
import { registerServed } from '../resources/served.ts';
import { served } from '../app/served.ts';
import { commandLine } from './record.ts';

export async function commandCtx(database: Database): Promise<Ctx> {
  await registerServed(database, served);
  return systemCtx({ database, log: pino({ level: 'silent' }), name: commandLine().name });
}
