/** The text of a package version that the server signs, and that an agent verifies before it uses the version (Ed25519). */

/** The length of an Ed25519 signature in bytes. A publisher signs the 32 bytes of the SHA-256 of the zip. */
export const signatureBytes = 64;

/** Returns the text to sign. It contains the ids, so that a signed zip cannot be passed off as another package or version. */
export function signedText(version: { packageId: string; packageVersionId: string; sha256: string }): string {
  return `cloudfit package version 1\n${version.packageId}\n${version.packageVersionId}\n${version.sha256}\n`;
}
