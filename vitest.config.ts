import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

const pure = ['contract', 'agent', 'scripts'].map((name) => ({
  // The contract has no state, so its files share a process.
  test: { name, include: [`${name}/**/*.test.ts`], isolate: name !== 'contract' },
}));

// Starts one PostgreSQL for the run and makes the migrated template that each file clones.
const templateSetup = join(import.meta.dirname, 'server/src/testing/global-setup.ts');

export default defineConfig({
  test: {
    // One more than the cores of a small machine: many tests of the server wait for another process.
    maxWorkers: 3,
    // These limits only decide how late a test fails that waits for something which does not come.
    testTimeout: 90_000,
    hookTimeout: 90_000,
    expect: { poll: { timeout: 20_000 } },
    projects: [
      ...pure,
      {
        test: {
          name: 'server',
          include: ['server/**/*.test.ts'],
          globalSetup: existsSync(templateSetup) ? [templateSetup] : [],
        },
      },
      { test: { name: 'portal', include: ['portal/src/**/*.test.{ts,tsx}'], environment: 'jsdom' } },
    ],
  },
});
