import { generateKeyPairSync } from 'node:crypto';
import { packageKeyOf, type PackageKey } from '../../auth/package-key.ts';

/** Returns a new random key that signs packages. */
export const testPackageKey = (): PackageKey => packageKeyOf(generateKeyPairSync('ed25519').privateKey);
