/** Seeds a package with three versions and an operation; a publisher has signed the versions that are no prerelease. */
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { manifestOf, packageZip } from '../server/src/testing/packages/zip.ts';
import { administratorToken, type World } from './world.ts';

const versions = { '1.0.0': 'First release', '1.1.0': 'Reads all mounts', '2.0.0-beta1': 'Try of the new reader' };

const operations = [
  {
    name: 'Disk space',
    type: 'Metric',
    result: 'Numeric',
    frequencies: ['Recurring', 'OnDemand'],
    parameters: [
      { name: 'Path', description: 'Where to look', required: true, default: '/' },
      { name: 'Volume', source: 'EnvironmentVariable' },
      { name: 'Account', description: 'Signs in where the disk is of another machine', source: 'SecuredValue' },
    ],
  },
];

/** Seeds the package. Returns its id, and the id of its operation. */
export async function seedPackages(world: World, tenantId: string): Promise<Record<'package' | 'packageOperation', string>> {
  const headers = { authorization: `Bearer ${administratorToken(world)}` };
  const packages: { packageId: string }[] = [];
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const publisher = { name: 'Pump works', tenantId, publicKey: publicKey.export({ type: 'spki', format: 'pem' }) };
  const trusted = await fetch(`${world.url}/v1/publishers`, {
    method: 'PUT',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(publisher),
  });
  if (!trusted.ok) throw new Error(`Publisher: ${trusted.status} ${await trusted.text()}`);
  for (const [version, label] of Object.entries(versions)) {
    const form = new FormData();
    form.append('label', label);
    form.append('tenantId', tenantId);
    const zip = await packageZip(manifestOf({ name: 'Disk metrics', version, operations }));
    form.append('file-1', new Blob([new Uint8Array(zip)]), 'metrics.zip');
    if (!version.includes('-'))
      form.append('signature-1', sign(null, createHash('sha256').update(zip).digest(), privateKey).toString('base64'));
    const answer = await fetch(`${world.url}/v1/packages/upload`, { method: 'POST', headers, body: form });
    if (!answer.ok) throw new Error(`Upload: ${answer.status} ${await answer.text()}`);
    packages.push(...((await answer.json()) as { value: typeof packages }).value);
  }
  const id = packages[0]?.packageId ?? '';
  const answer = await fetch(`${world.url}/v1/packages(${id})?$expand=operations`, { headers });
  const uploaded = (await answer.json()) as { operations: { operationId: string }[] };
  return { package: id, packageOperation: uploaded.operations[0]?.operationId ?? '' };
}
