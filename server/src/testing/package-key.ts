import { generateKeyPairSync } from 'node:crypto';
import { packageKeyOf, type PackageKey } from '../auth/package-key.ts';

/** A key that signs packages, of this process alone. */
export const testPackageKey = (): PackageKey => packageKeyOf(generateKeyPairSync('ed25519').privateKey);
