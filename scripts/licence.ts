/**
 * `npm run licence`: creates the key that signs licences, and signs them. The manufacturer keeps the private key
 * outside of the repository.
 */
import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

const usage = `Usage: npm run licence -- new-key FILE
       npm run licence -- sign --key FILE --customer NAME --expires YYYY-MM-DD

new-key  writes a private key to FILE and prints the public one. It belongs into productLicenceKey
         of server/src/features/lookups/licence-file.ts, or into the setting LICENCE_PUBLIC_KEY.
sign     prints a licence: save it, and install it by npm run admin -- licence install FILE.`;

/** Creates a private key (PEM) and its public key (SPKI in base64). */
export function newLicenceKey(): { privateKey: string; publicKey: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return {
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    publicKey: publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
  };
}

/** Returns the signed text of a licence file; the licence is valid up to `expires`. */
export function signLicence(privateKey: string, licence: { customer: string; expires: Date; issued?: Date }): string {
  const { customer, expires, issued = new Date() } = licence;
  const payload = Buffer.from(JSON.stringify({ customer, issued: issued.toISOString(), expires: expires.toISOString() }));
  const signature = sign(null, payload, createPrivateKey(privateKey));
  return JSON.stringify({ payload: payload.toString('base64url'), signature: signature.toString('base64url') });
}

function run(): string {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { key: { type: 'string' }, customer: { type: 'string' }, expires: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help) return usage;
  const [command, file] = positionals;
  if (command === 'new-key' && file) {
    const { privateKey, publicKey } = newLicenceKey();
    writeFileSync(file, privateKey, { mode: 0o600, flag: 'wx' });
    return publicKey;
  }
  const { key, customer, expires } = values;
  if (command !== 'sign' || !key || !customer || !/^\d{4}-\d\d-\d\d$/.test(expires ?? '')) return usage;
  return signLicence(readFileSync(key, 'utf8'), { customer, expires: new Date(`${expires}T23:59:59.000Z`) });
}

if (process.argv[1] === import.meta.filename) console.log(run());
