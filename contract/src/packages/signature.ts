/** What the server signs of a package version, and what an agent checks before it uses one (Ed25519). */

/** The ids are part of it, so that a signed zip cannot be passed off as another package or version. */
export function signedText(version: { packageId: string; packageVersionId: string; sha256: string }): string {
  return `cloudfit package version 1\n${version.packageId}\n${version.packageVersionId}\n${version.sha256}\n`;
}
