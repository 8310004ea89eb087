import { generateKeyPairSync } from 'node:crypto';
import { packageKeyOf, type PackageKey } from '../auth/package-key.ts';

/** A key that signs packages, valid in this process only. */
export const testPackageKey = (): PackageKey => packageKeyOf(generateKeyPairSync('ed25519').privateKey);
