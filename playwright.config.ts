import { defineConfig } from '@playwright/test';
import { chromiumPath } from './scripts/chromium.mjs';

// Each flow starts its own server (e2e/world.ts), so none is started here.
export default defineConfig({
  testDir: 'e2e',
  // Files run in parallel, the tests of one file in their order.
  // One more than the cores of a small machine, because each worker often waits for its browser or server.
  workers: 3,
  // The second try records a trace; the flow has failed even if it passes then.
  retries: 1,
  failOnFlakyTests: true,
  // These limits only determine when a flow fails that waits in vain.
  timeout: 300_000,
  expect: { timeout: 30_000 },
  forbidOnly: true,
  outputDir: 'test-results',
  reporter: 'line',
  use: {
    screenshot: 'only-on-failure',
    // Recording a trace of every test would take a third of the processor time.
    trace: 'on-first-retry',
    launchOptions: {
      executablePath: chromiumPath(),
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
});
