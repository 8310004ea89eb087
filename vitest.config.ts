import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

const pure = ['contract', 'agent', 'scripts'].map((name) => ({ test: { name, include: [`${name}/**/*.test.ts`] } }));

// Starts one PostgreSQL for the run and makes the migrated template that each file clones.
const templateSetup = join(import.meta.dirname, 'server/src/testing/global-setup.ts');

export default defineConfig({
  test: {
    maxWorkers: 2,
    testTimeout: 15_000,
    hookTimeout: 30_000,
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
