/** Which packages an agent trusts: the pinned keys of its server, the signatures of a version, and the content of the file. */
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { signedText } from '@cloudfit/contract/packages/signature.ts';
import type { TargetVersion } from './download.ts';
import { PackageFault, reasonOf } from './fault.ts';
import { createInstalledRegister, type InstalledPackage } from './installed.ts';
import { openKeyFile } from './key-file.ts';
import { requireContent, requirePublisher, requireSignature } from './verify.ts';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'trust-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function keyPair() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  return { key: publicKey.export({ type: 'spki', format: 'der' }).toString('base64'), privateKey };
}
const [server, other] = [keyPair(), keyPair()];
const sha256 = createHash('sha256').update('zip').digest('hex');
const packageId = '0197a1c0-0000-7000-8000-000000000001';
const target: TargetVersion = {
  packageVersionId: '0197a1c0-0000-7000-8000-000000000002',
  version: '1.2.0',
  executableName: 'check',
  fileSize: 3,
  sha256,
  signature: null,
  publisher: null,
  comesWithServer: false,
};
const text = Buffer.from(signedText({ packageId, packageVersionId: target.packageVersionId, sha256 }));
const signed = { ...target, signature: sign(null, text, server.privateKey).toString('base64') };

it('keeps the keys of the first registration, and says when a server has another one', () => {
  const file = openKeyFile(folder);
  expect([file.read(), file.pin([]), file.read()]).toEqual([[], true, []]);
  expect([file.pin(['a', 'b']), file.read()]).toEqual([true, ['a', 'b']]);
  expect([file.pin(['b']), file.pin(['a', 'c']), file.pin([])]).toEqual([true, false, true]);
  expect(openKeyFile(folder).read()).toEqual(['a', 'b']);
});

it('takes a version that one of the keys has signed, as this version of this package', () => {
  expect(() => requireSignature(packageId, signed, [other.key, server.key])).not.toThrow();
  expect(() => requireSignature(packageId, signed, [other.key])).toThrow('is wrong');
  expect(() => requireSignature(target.packageVersionId, signed, [server.key])).toThrow('is wrong');
  expect(() => requireSignature(packageId, { ...signed, sha256: 'ab' }, [server.key])).toThrow('is wrong');
  expect(() => requireSignature(packageId, target, [server.key])).toThrow('has no signature');
  expect(() => requireSignature(packageId, signed, [])).toThrow('has no key of its server');
});

it('takes a version without a publisher where the tenant does, and with one whom the tenant trusts', () => {
  const publishers = [
    { name: 'Other', publicKey: other.key },
    { name: 'Acme', publicKey: server.key },
  ];
  const by = (pair: typeof server) => ({
    ...target,
    publisher: { name: 'Acme', signature: sign(null, Buffer.from(sha256, 'hex'), pair.privateKey).toString('base64') },
  });
  const check =
    (version: TargetVersion, onlyTrustedPublishers: boolean, trusted = publishers) =>
    () =>
      requirePublisher(version, { publishers: trusted, onlyTrustedPublishers });
  expect(check(target, false)).not.toThrow();
  expect(check({ ...target, comesWithServer: true }, true)).not.toThrow();
  expect(check(target, true)).toThrow('no publisher has signed it');
  for (const only of [false, true]) {
    expect(check(by(server), only)).not.toThrow();
    expect(check(by(keyPair()), only)).toThrow('whose key this tenant does not trust');
    expect(check(by(server), only, publishers.slice(0, 1))).toThrow('whose key this tenant does not trust');
  }
});

it('takes a file of the announced size and content', async () => {
  const file = join(folder, 'zip');
  writeFileSync(file, 'zip');
  await requireContent(file, target);
  await expect(requireContent(file, { ...target, fileSize: 4 })).rejects.toThrow('has 3 bytes instead of 4');
  writeFileSync(file, 'zap');
  await expect(requireContent(file, target)).rejects.toThrow('is damaged');
});

it('says in words what ended an installation', () => {
  const failed = (code: string, path?: string) => Object.assign(new Error('raw'), { code, path });
  expect(reasonOf(new PackageFault('It is damaged.'))).toBe('It is damaged.');
  expect([reasonOf(failed('ENOSPC')), reasonOf(failed('EDQUOT'))]).toEqual(Array(2).fill('The disk of this machine is full.'));
  expect(reasonOf(failed('EACCES', '/opt/a'))).toBe('The agent may not write its files (EACCES: /opt/a).');
  for (const code of ['EPERM', 'EROFS']) expect(reasonOf(failed(code))).toContain(`(${code}: unknown path)`);
  expect([reasonOf(failed('EIO')), reasonOf(null)]).toEqual(['raw', 'null']);
});

it('has one version of a package in use, and tells each change', async () => {
  const register = createInstalledRegister();
  let changes = 0;
  const never = new AbortController().signal;
  const next = () => register.changed.wait(60_000, never).then(() => (changes += 1));
  const installed = { packageId, version: '1.2.0' } as InstalledPackage;
  for (const value of [installed, { ...installed, version: '1.3.0' }, undefined]) {
    const changed = next();
    register.set(packageId, value);
    await changed;
    expect(register.find(packageId)).toBe(value);
  }
  expect([changes, register.find('another')]).toEqual([3, undefined]);
});
