/** A server of the S3 API that checks signatures. Tests start it in their process, or as a process that they kill. */
import { createRequire } from 'node:module';

interface S3Server {
  run(): Promise<{ port: number }>;
  close(): Promise<void>;
}

/** The key and the secret that the server accepts. */
export const s3Key = 'S3RVER';

/** Starts a server with one bucket; port 0 takes a free one. */
export async function startS3Server(directory: string, bucket: string, port = 0): Promise<{ port: number; stop: () => Promise<void> }> {
  // The package has no types.
  const S3rver = createRequire(import.meta.url)('@20minutes/s3rver') as new (settings: object) => S3Server;
  const server = new S3rver({ address: '127.0.0.1', port, silent: true, directory, configureBuckets: [{ name: bucket, configs: [] }] });
  return { port: (await server.run()).port, stop: () => server.close() };
}

if (process.argv[1] === import.meta.filename) {
  const [, , directory = '', bucket = '', port] = process.argv;
  await startS3Server(directory, bucket, Number(port));
}
