/** Zips of packages for tests, made in memory. */
import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';

/** A valid manifest, with the fields of `over` instead of its own. */
export function manifestOf(over: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    name: 'System metrics',
    version: '1.0.0',
    type: 'Watcher',
    executable: 'bin/metrics.js',
    executableType: 'Script',
    operations: [
      {
        name: 'Disk space',
        type: 'Metric',
        result: 'Numeric',
        frequencies: ['Recurring', 'OnDemand'],
        parameters: [{ name: 'Path', description: 'Where to look', required: true, default: '/' }],
      },
    ],
    ...over,
  };
}

export function zipOf(files: Readonly<Record<string, string | Buffer>>): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, content] of Object.entries(files)) zip.addBuffer(Buffer.from(content), name);
  zip.end();
  return buffer(zip.outputStream);
}

export function packageZip(manifest: Record<string, unknown> = manifestOf()): Promise<Buffer> {
  return zipOf({ 'cloudfit.json': JSON.stringify(manifest), 'bin/metrics.js': 'console.log(1);' });
}

const boundary = 'a-boundary-of-the-tests';

/** Returns a multipart body and its header: a text part for each field, a zip part `file-N` for each file. */
export function multipartOf(
  fields: Readonly<Record<string, string>>,
  files: readonly Buffer[],
  names: readonly string[] = [],
): { body: Buffer; headers: Record<string, string> } {
  const head = (disposition: string) => `--${boundary}\r\ncontent-disposition: form-data; ${disposition}\r\n`;
  const parts = [
    ...Object.entries(fields).map(([name, value]) => Buffer.from(`${head(`name="${name}"`)}\r\n${value}\r\n`)),
    ...files.flatMap((file, n) => [
      Buffer.from(
        `${head(`name="file-${n + 1}"; filename="${names[n] ?? `../package ${n + 1}.zip`}"`)}content-type: application/zip\r\n\r\n`,
      ),
      file,
      Buffer.from('\r\n'),
    ]),
    Buffer.from(`--${boundary}--\r\n`),
  ];
  return { body: Buffer.concat(parts), headers: { 'content-type': `multipart/form-data; boundary=${boundary}` } };
}
