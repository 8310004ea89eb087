/** Finds the browser of the end-to-end tests, or installs Debian's where that is allowed. */
import { existsSync } from 'node:fs';
import { installPackages, mayInstall } from './debian.mjs';

/** Returns one line that says what is missing, or undefined when a browser is there. */
export function ensureChromium() {
  const path = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
  if (existsSync(path)) return undefined;
  const ask = `The browser tests need Chromium at ${path}: install it ("apt-get install chromium" on Debian), or name one in CHROMIUM_PATH.`;
  if (process.env.CHROMIUM_PATH || !mayInstall()) return ask;
  console.log('Installing Chromium ...');
  const problem = installPackages('chromium', 'fonts-liberation');
  return !problem && existsSync(path) ? undefined : `${problem}\n${ask}`;
}
