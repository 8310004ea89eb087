/** Opens the store of uploaded files that the settings choose. */
import { join } from 'node:path';
import type { Config } from '../platform/config.ts';
import { folderStore } from '../features/packages/folder-store.ts';
import type { FileStore } from '../platform/file-store.ts';
import { s3Store } from '../outbound/s3-store.ts';
import { StartError } from '../platform/start-error.ts';

/** Folder of uploads that are being received, on the same disk as the folder of stored files. */
export function incomingFolder({ dataDir }: Config): string {
  return join(dataDir, 'uploads/incoming');
}

export function openFileStore(config: Config): FileStore {
  const {
    s3Endpoint: endpoint,
    s3Bucket: bucket,
    s3Region: region,
    s3AccessKeyId: accessKeyId,
    s3SecretAccessKey: secretAccessKey,
  } = config;
  if (endpoint === undefined) return folderStore(join(config.dataDir, 'uploads/kept'));
  if (accessKeyId === '' || secretAccessKey === '') throw new StartError('S3_ENDPOINT needs S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY.');
  return s3Store({ endpoint, bucket, region, accessKeyId, secretAccessKey });
}
