/** What a publisher does with openssl: creates a key, and signs a zip as docs/PACKAGES.md says. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Why tests with openssl cannot run on this machine; undefined when they can. */
export const opensslMissing: string | undefined = spawnSync('openssl', ['version']).status === 0 ? undefined : 'openssl is not installed';

export interface HomeOfPublisher {
  /** PEM, as `-pubout` prints it. */
  publicKey: string;
  privateKey: string;
  /** Returns the detached signature of a zip in base64, as an upload contains it. */
  sign(zip: Buffer): string;
}

/** Creates `folder` and in it the key of a new publisher. */
export function openPublisher(folder: string, algorithm = 'ed25519'): HomeOfPublisher {
  mkdirSync(folder, { recursive: true });
  const openssl = (command: string): string => execFileSync('openssl', command.split(' '), { cwd: folder, encoding: 'utf8' });
  openssl(`genpkey -algorithm ${algorithm} -out publisher.pem`);
  return {
    publicKey: openssl('pkey -in publisher.pem -pubout'),
    privateKey: readFileSync(join(folder, 'publisher.pem'), 'utf8'),
    sign: (zip) => {
      writeFileSync(join(folder, 'package.zip'), zip);
      openssl('dgst -sha256 -binary -out package.sha256 package.zip');
      openssl('pkeyutl -sign -rawin -inkey publisher.pem -in package.sha256 -out package.sig');
      openssl('base64 -A -in package.sig -out package.zip.sig');
      return readFileSync(join(folder, 'package.zip.sig'), 'utf8');
    },
  };
}
