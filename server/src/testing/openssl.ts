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

/** Writes the certificate of a host `localhost` with its key, and that of its authority, into the folder: cert.pem, key.pem and ca.pem. */
export function makeHostCertificate(folder: string): void {
  const openssl = (command: string): unknown => execFileSync('openssl', command.split(' '), { cwd: folder, stdio: 'ignore' });
  const newKey = '-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes';
  openssl(`req -x509 ${newKey} -keyout ca.key -out ca.pem -days 2 -subj /CN=Authority`);
  openssl(`req ${newKey} -keyout key.pem -out host.csr -subj /CN=localhost`);
  writeFileSync(join(folder, 'host.ext'), 'subjectAltName=DNS:localhost\n');
  openssl('x509 -req -in host.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out cert.pem -days 2 -extfile host.ext');
}
