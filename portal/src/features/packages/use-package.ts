/** The parts of one package. Each tab fetches only its part. */
import type { Row } from '@cloudfit/contract/resource.ts';
import type { operations } from '@cloudfit/contract/resources/operations.ts';
import type { packageVersions } from '@cloudfit/contract/resources/package-versions.ts';
import { packages } from '@cloudfit/contract/resources/packages.ts';
import { useRow } from '../../rows/use-rows.ts';

export type PackageOperation = Row<typeof operations>;
export type PackageVersion = Row<typeof packageVersions>;

/** The operations of a package, sorted by name (API-174). */
export const useOperations = (packageId: string) => useRow(packages, packageId, { expand: ['operations($orderby=name)'] });

/** The versions of a package, in descending order (API-175). */
export const useVersions = (packageId: string) => useRow(packages, packageId, { expand: ['packageVersions($orderby=version desc)'] });
