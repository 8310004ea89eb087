import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const pure = ['contract', 'agent', 'client', 'scripts'].map((name) => ({
  // The contract has no state, so its test files can share the loaded modules.
  test: { name, include: [`${name}/**/*.test.ts`], isolate: name !== 'contract' },
}));

// Starts one PostgreSQL for the run and makes the migrated template that each file clones.
const templateSetup = join(import.meta.dirname, 'server/src/testing/global-setup.ts');

const portal = ['portal/src/**/*.test.{ts,tsx}'];
/**
 * Tests that pass streams, blobs or timers of Node to the page, or replace its location; a page in a separate VM context would not
 * recognize the former, and does not allow the latter.
 */
const portalWithNode = [
  'portal/src/api/change-stream.test.ts',
  'portal/src/api/live.test.ts',
  'portal/src/api/session.test.ts',
  'portal/src/export/exports.test.tsx',
  'portal/src/features/communications/communications-page.test.tsx',
  'portal/src/features/work-units/panel/saving.test.tsx',
  'portal/src/resource/list-page.test.tsx',
];

/** Projects in the order in which they run: a worker that goes on in the same project does not load its modules again. */
const projectOrder = ['server', 'scripts', 'agent', 'client', 'portal-with-node', 'portal', 'contract'];
const startsProcesses = /from '[^']*\/(?:server-process|agent-process|agent-site|built-agent)\.ts'/;

/**
 * Runs tests that start servers and agents before the other tests of their project: they wait for minutes, during which the other tests
 * run. Those that kill them are the first.
 */
class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const ranks = new Map(sorted.map((file) => [file, rankOf(file)]));
    const rank = (file: TestSpecification) => ranks.get(file) ?? 0;
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}

function rankOf({ moduleId, project }: TestSpecification): number {
  const kills = moduleId.includes('/testing/faults/');
  const waits = kills || startsProcesses.test(readFileSync(moduleId, 'utf8'));
  return projectOrder.indexOf(project.name) * 3 + (kills ? 0 : waits ? 1 : 2);
}

export default defineConfig({
  test: {
    sequence: { sequencer: SlowFirst },
    // Twice the cores of a small machine: tests that kill processes wait for half of their time.
    maxWorkers: 4,
    // These limits only determine when a test fails that waits in vain.
    testTimeout: 90_000,
    hookTimeout: 90_000,
    expect: { poll: { timeout: 20_000 } },
    projects: [
      ...pure,
      {
        test: {
          name: 'server',
          include: ['server/**/*.test.ts'],
          // The files of a worker share the modules, whose only state between files is separate for each tenant.
          isolate: false,
          setupFiles: [join(import.meta.dirname, 'server/src/testing/cheap-passwords.ts')],
          globalSetup: existsSync(templateSetup) ? [templateSetup] : [],
        },
      },
      // A worker loads jsdom once; each file gets a separate window and VM context.
      { test: { name: 'portal', include: portal, exclude: portalWithNode, environment: 'jsdom', pool: 'vmForks' } },
      { test: { name: 'portal-with-node', include: portalWithNode, environment: 'jsdom' } },
    ],
  },
});
