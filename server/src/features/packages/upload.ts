/** Stores uploaded zips as versions of packages: all of them or, with the errors of each file, none. */
import { randomBytes } from 'node:crypto';
import { sql } from '../../db/sql.ts';
import { packageVersionStatus } from '@cloudfit/contract/enums.ts';
import { ApiError, validationFailed } from '@cloudfit/contract/errors.ts';
import type { PackageManifest } from '@cloudfit/contract/packages/manifest.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import type { packageVersions } from '@cloudfit/contract/resources/package-versions.ts';
import { actorName, inTransaction, requirePermission, type Ctx } from '../../context/ctx.ts';
import type { PackageKey } from '../../auth/package-key.ts';
import { removeRefused, type FileStore } from '../../platform/file-store.ts';
import { create } from '../../resources/create.ts';
import { writeRecorded } from '../../resources/record.ts';
import { isTenantInScope } from '../../resources/references.ts';
import { applyManifest, packageFields, ridsOf } from './apply-manifest.ts';
import { servedPackages, servedPackageVersions } from './packages.served.ts';
import { isPreRelease, precedenceOf } from './precedence.ts';
import { signerOf, trustOf, type Publisher, type Trust } from './publisher-keys.ts';
import { readManifest } from './read-manifest.ts';
import { demoteLatest, lockPackage } from './statuses.ts';

type PackageVersion = Row<typeof packageVersions>;

/** A completely received part of a multipart body, stored in a separate file. */
export interface ReceivedFile {
  /** The name of the part in the multipart body, such as `file-1`. */
  part: string;
  /** The file name that the sender gave; only shown to people. */
  fileName: string;
  path: string;
  size: number;
  sha256: string;
  /** A publisher's signature of the SHA-256. */
  signature?: Buffer | undefined;
}

export interface Upload {
  label: string;
  /** Null for a package for everyone, which needs the permission in all tenants. */
  tenantId: string | null;
  files: readonly ReceivedFile[];
  /** Whether the package is in the server's catalogue of built-in packages. */
  isBuiltIn?: boolean;
  /** Whether the server made the files itself (built-in packages and those of the agent), so that they need no signature. */
  comesWithServer?: boolean;
}

interface StoredFile {
  file: ReceivedFile;
  publisher: Publisher | undefined;
  manifest: PackageManifest;
  storageName: string;
}

/**
 * Stores the files and returns the new versions. After a refusal the stored files are removed again; those of other failures are left to the
 * sweep of orphans.
 */
export async function storeUpload(ctx: Ctx, store: FileStore, key: PackageKey, upload: Upload): Promise<PackageVersion[]> {
  const { tenantId } = upload;
  if (tenantId !== null && !isTenantInScope(ctx, tenantId))
    throw validationFailed([{ target: 'tenantId', message: 'Tenant was not found.' }]);
  requirePermission(ctx, 'Packages', 'create', tenantId);
  const manifests = await readAll(upload.files);
  const publishers = await publishersOf(ctx, upload);
  const storedFiles: StoredFile[] = [];
  try {
    // The files are stored before the transaction, so that the transaction does not wait for a slow store.
    for (const { file, manifest } of manifests) {
      const storageName = randomBytes(24).toString('hex');
      storedFiles.push({ file, manifest, storageName, publisher: publishers.get(file) });
      await store.keep(storageName, file.path, file);
    }
    return await inTransaction(ctx, async (ctx) => {
      const rows: PackageVersion[] = [];
      for (const one of storedFiles) rows.push(await addVersion(ctx, one, key, upload));
      return rows;
    });
  } catch (error) {
    const names = storedFiles.map(({ storageName }) => storageName);
    await removeRefused(store, names, error);
    throw error;
  }
}

async function readAll(files: readonly ReceivedFile[]): Promise<{ file: ReceivedFile; manifest: PackageManifest }[]> {
  const read = [];
  const errors: { target: string; message: string }[] = [];
  for (const file of files) {
    const manifestOfFile = await readManifest(file.path, file.size);
    if ('manifest' in manifestOfFile) read.push({ file, manifest: manifestOfFile.manifest });
    else
      errors.push(
        ...manifestOfFile.faults.map(({ field, message }) => ({
          target: field ? `${file.part}.${field}` : file.part,
          message: `${file.fileName}: ${message}.`,
        })),
      );
  }
  if (errors.length > 0) throw validationFailed(errors);
  return read;
}

/**
 * Returns the publisher of each signed file. Throws if a signature is of no publisher that the tenant trusts, or if a required
 * signature is missing.
 */
async function publishersOf(ctx: Ctx, { tenantId, files }: Upload): Promise<ReadonlyMap<ReceivedFile, Publisher>> {
  const trust = await trustOf(ctx, tenantId);
  const signers = new Map<ReceivedFile, Publisher>();
  const errors: { target: string; message: string }[] = [];
  for (const file of files) {
    if (!file.signature) {
      if (trust.isRequired)
        errors.push({
          target: file.part,
          message: `${file.fileName}: this tenant takes only packages that a trusted publisher has signed; send the signature with it.`,
        });
      continue;
    }
    const signer = signerOf(file.sha256, file.signature, trust.publishers);
    if (signer) signers.set(file, signer);
    else errors.push({ target: file.part, message: `${file.fileName}: ${untrustedText(trust, tenantId)}` });
  }
  if (errors.length > 0) throw validationFailed(errors);
  return signers;
}

function untrustedText({ publishers }: Trust, tenantId: string | null): string {
  const whom = tenantId === null ? 'every tenant' : 'this tenant';
  if (publishers.length === 0)
    return `it is signed, but there is no publisher yet whom ${whom} trusts; add the public key under Publishers.`;
  const names = publishers.map(({ name }) => name).join(', ');
  return `no publisher whom ${whom} trusts (${names}) has made this signature for this file.`;
}

async function packageOf(ctx: Ctx, manifest: PackageManifest, { tenantId, isBuiltIn = false }: Upload): Promise<string> {
  const find = async (): Promise<string | undefined> => {
    const [match] = await ctx.db.query<{ id: string; is_built_in: boolean }>({
      text: 'select package_id as id, is_built_in from package where tenant_id is not distinct from $1 and lower(name) = lower($2) for update',
      values: [tenantId, manifest.name],
    });
    if (match?.is_built_in && !isBuiltIn)
      throw new ApiError('Conflict', `${manifest.name} comes with the server, which updates it. Give your package another name.`);
    return match?.id;
  };
  const existing = await find();
  if (existing !== undefined) return existing;
  // If two uploads of a new package run at once, one inserts it and the other reads it.
  const created = await create(ctx, servedPackages, { ...packageFields(manifest), tenantId }, { unlessExists: true });
  const id = created ? created.packageId : await find();
  if (created && isBuiltIn)
    await ctx.db.query({ text: 'update package set is_built_in = true where package_id = $1', values: [created.packageId] });
  if (id === undefined) throw new ApiError('Conflict', `The package ${manifest.name} was just deleted. Please try again.`);
  return id;
}

async function addVersion(ctx: Ctx, stored: StoredFile, key: PackageKey, upload: Upload): Promise<PackageVersion> {
  const { file, manifest, storageName, publisher } = stored;
  const { label, tenantId, comesWithServer = false } = upload;
  const packageId = await packageOf(ctx, manifest, upload);
  await lockPackage(ctx, packageId);
  const precedence = precedenceOf(manifest.version);
  const [others] = await ctx.db.query<{ exists: boolean; above_releases: boolean; above_unreleased: boolean }>({
    text: `select coalesce(bool_or(version = $2), false) as exists,
        coalesce(bool_and(precedence < $3) filter (where package_version_status_id <> ${packageVersionStatus.preRelease}), true) as above_releases,
        coalesce(bool_and(precedence < $3 and package_version_status_id = ${packageVersionStatus.preRelease}), true) as above_unreleased
      from package_version where package_id = $1`,
    values: [packageId, manifest.version, precedence],
  });
  if (!others || others.exists)
    throw new ApiError('Conflict', `${file.fileName}: version ${manifest.version} of ${manifest.name} exists already.`, {
      target: file.part,
    });
  const [fresh] = await ctx.db.query<{ id: string }>({ text: 'select uuidv7() as id' });
  if (!fresh) throw new Error('No id was made.');
  const packageVersionId = fresh.id;
  const { latest, archived, preRelease } = packageVersionStatus;
  const status = isPreRelease(manifest.version) ? preRelease : others.above_releases ? latest : archived;
  if (status === latest) await demoteLatest(ctx, packageId);
  const columns = {
    package_version_id: packageVersionId,
    package_id: packageId,
    tenant_id: tenantId,
    version: manifest.version,
    precedence,
    label,
    package_version_status_id: status,
    operating_system_rids_id: ridsOf(manifest),
    executable_name: manifest.executable,
    file_name: file.fileName,
    file_size: file.size,
    sha256: file.sha256,
    signature: key.sign({ packageId, packageVersionId, sha256: file.sha256 }),
    publisher_name: publisher?.name ?? null,
    publisher_key: publisher?.publicKey ?? null,
    publisher_signature: publisher ? (file.signature?.toString('base64') ?? null) : null,
    comes_with_server: comesWithServer,
    manifest: JSON.stringify(manifest),
    storage_name: storageName,
    created_by: actorName(ctx),
  };
  const write = sql`insert into package_version (${sql.join(Object.keys(columns).map((c) => sql.ref(c)))}) values (${sql.join(Object.values(columns))}) returning *`;
  const row = await writeRecorded(ctx, servedPackageVersions, 'create', write, null);
  if (!row) throw new Error('A version was not written.');
  // A pre-release updates the fields of its package only if there is no release and no newer pre-release.
  if (status === latest || (status === preRelease && others.above_unreleased)) await applyManifest(ctx, packageId, tenantId, manifest);
  return row;
}
