import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { serverProcess } from '../testing/server-process.ts';
import { testDatabase } from '../testing/database.ts';

it('a server that is killed has written its compiled code for the next start', async () => {
  const cache = mkdtempSync(join(tmpdir(), 'cloudfit-compiled-'));
  const { url, close } = await testDatabase();
  const server = await serverProcess({ databaseUrl: url, env: { NODE_COMPILE_CACHE: cache } });
  try {
    await server.start();
    await server.kill();
    expect(readdirSync(cache, { recursive: true }).length).toBeGreaterThan(5);
  } finally {
    await server.remove();
    await close();
    rmSync(cache, { recursive: true, force: true });
  }
});
