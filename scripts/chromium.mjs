/** Finds the browser of the end-to-end tests, or installs Debian's if that is allowed. */
import { existsSync } from 'node:fs';
import { installPackages, mayInstall } from './debian.mjs';

// The headless shell comes first, because the same tests take a fifth less time in it.
/** @type {[string, string]} */
const debian = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];

/** Returns the path of the browser: CHROMIUM_PATH, or else Debian's. */
export function chromiumPath() {
  return process.env.CHROMIUM_PATH ?? debian.find((path) => existsSync(path)) ?? debian[0];
}

/** Installs the browser if necessary and allowed. Returns a text about what is missing, or undefined when a browser exists. */
export function ensureChromium() {
  if (existsSync(chromiumPath())) return undefined;
  const ask = `There is no Chromium at ${chromiumPath()}: install it ("apt-get install chromium-headless-shell" on Debian), or name one in CHROMIUM_PATH.`;
  if (process.env.CHROMIUM_PATH || !mayInstall()) return ask;
  console.log('Installing Chromium ...');
  const problem = installPackages('chromium-headless-shell', 'fonts-liberation');
  return !problem && existsSync(chromiumPath()) ? undefined : `${problem}\n${ask}`;
}
