/** Finds the browser of the end-to-end tests, or installs Debian's where that is allowed. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Returns one line that says what is missing, or undefined when a browser is there. */
export function ensureChromium() {
  const path = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
  if (existsSync(path)) return undefined;
  const ask = `The browser tests need Chromium at ${path}: install it ("apt-get install chromium" on Debian), or name one in CHROMIUM_PATH.`;
  if (process.env.CHROMIUM_PATH || process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return ask;
  console.log('Installing Chromium ...');
  const apt = (...args) =>
    spawnSync('apt-get', ['-o', 'DPkg::Lock::Timeout=600', ...args], {
      encoding: 'utf8',
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
  apt('update', '-qq');
  const { status, stderr } = apt('install', '-y', '-qq', '--no-install-recommends', 'chromium', 'fonts-liberation');
  return status === 0 && existsSync(path) ? undefined : `${stderr?.trim()}\n${ask}`;
}
