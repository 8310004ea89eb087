/** The text of a package version that the server signs, and that an agent verifies before it uses the version (Ed25519). */

/** An Ed25519 signature. A publisher signs the SHA-256 of the zip, as its 32 bytes. */
export const signatureBytes = 64;

/** The ids are part of it, so that a signed zip cannot be passed off as another package or version. */
export function signedText(version: { packageId: string; packageVersionId: string; sha256: string }): string {
  return `cloudfit package version 1\n${version.packageId}\n${version.packageVersionId}\n${version.sha256}\n`;
}
