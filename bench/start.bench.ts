/** Measures the time until a repeated `npm start` answers, and the memory of an idle server with a thousand rules. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { joinEmbedded } from '../server/src/db/embedded/embedded.ts';
import { freePort } from '../server/src/testing/server-process.ts';
import { percentile, type BenchRow } from './load.ts';
import { memoryOf, npmStart, type Memory } from './npm-start.ts';
import { addRules, findHome } from './site.ts';

const starts = 5;
const ruleCount = 1_000;
const idleSeconds = 10;

async function fillFolder(dataDir: string): Promise<void> {
  const client = new pg.Client({ connectionString: (await joinEmbedded({ dataDir, log: () => undefined })).url });
  await client.connect();
  await addRules(client, await findHome(client), ruleCount);
  await client.end();
}

/** Runs the bench without its database, because `npm start` creates its own folder and database. */
export async function bench(): Promise<BenchRow[]> {
  const home = mkdtempSync(join(tmpdir(), 'cloudfit-start-'));
  // Under root, PostgreSQL runs as another user, who needs access to the folder.
  chmodSync(home, 0o711);
  const settings = { DATA_DIR: join(home, 'data'), PORT: String(await freePort()) };
  const times: number[] = [];
  let memory: Memory | undefined;
  let running = await npmStart(settings);
  const first = running.readyMs;
  try {
    await fillFolder(settings.DATA_DIR);
    while (times.length < starts) {
      await running.stop();
      running = await npmStart(settings);
      // A start that builds the portal, because sources have changed, does not count.
      if (!running.output.includes('Building')) times.push(running.readyMs);
    }
    await sleep(idleSeconds * 1_000);
    memory = memoryOf(settings.DATA_DIR);
  } finally {
    await running.stop();
    rmSync(home, { recursive: true, force: true });
  }
  return [
    {
      name: `second npm start to its first answer, ${starts} times, with the agent, ${ruleCount.toLocaleString('en')} rules`,
      figures: {
        'median ms': Math.round(percentile(times, 0.5)),
        'least ms': Math.round(Math.min(...times)),
        'most ms': Math.round(Math.max(...times)),
        'first start ms': Math.round(first),
      },
    },
    {
      name: `server idle for ${idleSeconds} s with ${ruleCount.toLocaleString('en')} rules loaded`,
      figures: {
        'resident MB': Math.round(memory.server),
        'agent MB': Math.round(memory.agent),
        'PostgreSQL MB (shared memory once)': Math.round(memory.postgres),
      },
    },
  ];
}

if (process.argv[1] === import.meta.filename) console.log(JSON.stringify(await bench(), null, 2));
