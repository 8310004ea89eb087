import { defineConfig } from '@playwright/test';
import { chromiumPath } from './scripts/chromium.mjs';

// Each flow starts its own server (e2e/world.ts), so none is started here.
export default defineConfig({
  testDir: 'e2e',
  // Files side by side; the tests of one in their order.
  // One more than the cores of a small machine, which wait for the browser and the server in turn.
  workers: 3,
  // A flow that fails once and passes then is named as flaky.
  retries: 1,
  // These limits only decide how late a flow fails that waits for something which does not come.
  timeout: 300_000,
  expect: { timeout: 30_000 },
  forbidOnly: true,
  outputDir: 'test-results',
  reporter: 'line',
  use: {
    screenshot: 'only-on-failure',
    // Recording every test takes a third of the run's processor time.
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
