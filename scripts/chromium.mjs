/** Finds the browser of the end-to-end tests, or installs Debian's if that is allowed. */
import { existsSync } from 'node:fs';
import { installPackages, mayInstall } from './debian.mjs';

// The headless shell takes a fifth less time for the same tests.
/** @type {[string, string]} */
const debian = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];

/** The browser in CHROMIUM_PATH, or Debian's. */
export function chromiumPath() {
  return process.env.CHROMIUM_PATH ?? debian.find((path) => existsSync(path)) ?? debian[0];
}

/** Returns one line about what is missing, or undefined when a browser exists. */
export function ensureChromium() {
  if (existsSync(chromiumPath())) return undefined;
  const ask = `There is no Chromium at ${chromiumPath()}: install it ("apt-get install chromium-headless-shell" on Debian), or name one in CHROMIUM_PATH.`;
  if (process.env.CHROMIUM_PATH || !mayInstall()) return ask;
  console.log('Installing Chromium ...');
  const problem = installPackages('chromium-headless-shell', 'fonts-liberation');
  return !problem && existsSync(chromiumPath()) ? undefined : `${problem}\n${ask}`;
}
