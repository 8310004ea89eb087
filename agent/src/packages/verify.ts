/** Whether a downloaded file is the one that the server has signed. */
import { createHash, createPublicKey, verify } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { signedText } from '@cloudfit/contract/packages/signature.ts';
import type { TargetVersion } from './download.ts';
import { PackageFault } from './fault.ts';

/** `keys` are the public keys of the server, SPKI in base64. Throws the reason unless one of them has signed the version. */
export function requireSignature(packageId: string, target: TargetVersion, keys: readonly string[]): void {
  if (keys.length === 0)
    throw new PackageFault('This agent has no key of its server to check packages with; restart it to have it register again.');
  if (target.signature === null) throw new PackageFault(`Version ${target.version} has no signature of the server and is not installed.`);
  const text = Buffer.from(signedText({ packageId, packageVersionId: target.packageVersionId, sha256: target.sha256 }));
  const signature = Buffer.from(target.signature, 'base64');
  const isRight = keys.some((key) =>
    verify(null, text, createPublicKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' }), signature),
  );
  if (!isRight)
    throw new PackageFault(
      `The signature of version ${target.version} is wrong: it was not made by the server at which this agent has enrolled. It is not installed.`,
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
