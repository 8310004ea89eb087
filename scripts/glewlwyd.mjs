/** Finds the external identity provider of the end-to-end tests, or installs Debian's if that is allowed. */
import { existsSync } from 'node:fs';
import { installPackages, mayInstall } from './debian.mjs';

const path = '/usr/bin/glewlwyd';

/** Installs the provider if necessary and allowed. Returns a text about what is missing, or undefined when it exists. */
export function ensureGlewlwyd() {
  if (existsSync(path)) return undefined;
  const ask = `The tests of foreign identity providers need ${path}: install it ("apt-get install glewlwyd" on Debian).`;
  if (!mayInstall()) return ask;
  console.log('Installing glewlwyd ...');
  const problem = installPackages('glewlwyd', 'dbconfig-sqlite3');
  return !problem && existsSync(path) ? undefined : `${problem}\n${ask}`;
}
