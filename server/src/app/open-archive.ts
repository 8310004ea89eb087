/** Opens the archive that the setting names: a folder, or a prefix of a bucket. */
import { join } from 'node:path';
import { folderArchive } from '../db/archive/folder-store.ts';
import { s3Archive } from '../outbound/s3-archive.ts';
import type { ArchiveStore } from '../platform/archive-store.ts';
import type { Config } from '../platform/config.ts';
import { StartError } from '../platform/start-error.ts';

export function openArchive(archive: string, config: Config): ArchiveStore {
  if (!archive.startsWith('s3://')) return folderArchive(archive);
  const { archiveS3Region: region, archiveS3AccessKeyId: accessKeyId, archiveS3SecretAccessKey: secretAccessKey } = config;
  const sessionToken = config.archiveS3SessionToken;
  if (accessKeyId === '' || secretAccessKey === '')
    throw new StartError(`The archive ${archive} needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`);
  const endpoint = config.archiveS3Endpoint ?? `https://s3.${region}.amazonaws.com`;
  return s3Archive(archive, { endpoint, region, accessKeyId, secretAccessKey, sessionToken }, join(config.dataDir, 'archive-drafts'));
}
