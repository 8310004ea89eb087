/** Checks the signatures of a version (server, publisher), and that a downloaded file is the signed one. */
import { createHash, createPublicKey, verify, type KeyObject } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { AgentConfiguration } from '@cloudfit/contract/agent/messages.ts';
import { signedText } from '@cloudfit/contract/packages/signature.ts';
import type { TargetVersion } from './download.ts';
import { PackageFault } from './fault.ts';

const keyOf = (publicKey: string): KeyObject => createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' });

/** Throws unless the signature of a version verifies with one of `keys`: the server's public keys, SPKI in base64. */
export function requireSignature(packageId: string, target: TargetVersion, keys: readonly string[]): void {
  if (keys.length === 0)
    throw new PackageFault('This agent has no key of its server to check packages with; restart it to have it register again.');
  if (target.signature === null) throw new PackageFault(`Version ${target.version} has no signature of the server and is not installed.`);
  const text = Buffer.from(signedText({ packageId, packageVersionId: target.packageVersionId, sha256: target.sha256 }));
  const signature = Buffer.from(target.signature, 'base64');
  const isRight = keys.some((key) => verify(null, text, keyOf(key), signature));
  if (!isRight)
    throw new PackageFault(
      `The signature of version ${target.version} is wrong: it was not made by the server at which this agent has enrolled. It is not installed.`,
    );
}

/** Which publishers the tenant of this device trusts, as its configuration says. */
export interface PublisherTrust {
  publishers: AgentConfiguration['publishers'];
  onlyTrustedPublishers: boolean;
}

/** Throws unless the tenant trusts the key of the publisher's signature, or allows the version without a publisher. */
export function requirePublisher(target: TargetVersion, { publishers, onlyTrustedPublishers }: PublisherTrust): void {
  const { publisher, version, comesWithServer } = target;
  if (publisher === null) {
    if (!onlyTrustedPublishers || comesWithServer) return;
    throw new PackageFault(
      `Version ${version} is not installed: no publisher has signed it, and this tenant takes only packages of publishers whom it trusts.`,
    );
  }
  const hash = Buffer.from(target.sha256, 'hex');
  const signature = Buffer.from(publisher.signature, 'base64');
  if (!publishers.some(({ publicKey }) => verify(null, hash, keyOf(publicKey), signature)))
    throw new PackageFault(
      `Version ${version} is not installed: it was signed by ${publisher.name}, whose key this tenant does not trust.`,
    );
}

/** Throws the reason unless the file has the size and the SHA-256 that were signed. */
export async function requireContent(file: string, target: TargetVersion): Promise<void> {
  const { size } = await stat(file);
  if (size !== target.fileSize) throw new PackageFault(`The downloaded file has ${size} bytes instead of ${target.fileSize}.`);
  const sum = createHash('sha256');
  await pipeline(createReadStream(file), sum);
  const sha256 = sum.digest('hex');
  if (sha256 !== target.sha256)
    throw new PackageFault(`The downloaded file is damaged: its SHA-256 is ${sha256} instead of ${target.sha256}.`);
}
