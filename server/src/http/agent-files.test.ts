import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { agentFolders } from '../platform/agent-files.ts';
import { mountAgentFiles } from './agent-files.ts';
import { sendError } from './errors.ts';

let folder: string;
let app: FastifyInstance;
beforeEach(async () => {
  folder = join(mkdtempSync(join(tmpdir(), 'agent-files-')), 'dist');
  app = Fastify();
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply));
  await mountAgentFiles(app, { folders: { ...agentFolders, built: folder }, publicUrl: 'https://cloudfit.example' });
});
afterEach(async () => {
  await app.close();
  rmSync(join(folder, '..'), { recursive: true });
});

const content = 'ELF and so on';
const file = 'cloudfit-agent-linux-x64';
function build(): void {
  const sha256 = createHash('sha256').update(content).digest('hex');
  mkdirSync(folder);
  writeFileSync(join(folder, file), content);
  writeFileSync(join(folder, 'SHA256SUMS'), `${sha256}  ${file}\n`);
  writeFileSync(join(folder, 'index.json'), JSON.stringify({ version: '2.1.0', files: [entry(sha256)] }));
}
const entry = (sha256: string) => ({ platform: 'linux-x64', version: '2.1.0', file, size: content.length, sha256, fingerprint: 'x' });
const get = (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers });

it('says what an administrator does where nothing is built, also of each file, and finds what is built later', async () => {
  const hint = /npm run agent/;
  const before = await get('/agent/');
  expect(before.json()).toMatchObject({ version: null, files: [], missing: ['linux-x64', 'linux-arm64', 'win-x64'] });
  expect(before.json<{ hint: string }>().hint).toMatch(hint);
  const missing = await get(`/agent/${file}`);
  expect([missing.statusCode, missing.json()]).toMatchObject([404, { error: { code: 'NotFound', message: expect.stringMatching(hint) } }]);
  build();
  expect((await get('/agent/')).json()).toMatchObject({
    version: '2.1.0',
    files: [{ platform: 'linux-x64', version: '2.1.0', url: `https://cloudfit.example/agent/${file}`, size: content.length }],
    missing: ['linux-arm64', 'win-x64'],
  });
});

it('serves an executable whole, in parts, and not again to who has it', async () => {
  build();
  const whole = await get(`/agent/${file}`);
  expect([whole.statusCode, whole.body, whole.headers['accept-ranges']]).toEqual([200, content, 'bytes']);
  const part = await get(`/agent/${file}`, { range: 'bytes=4-6' });
  expect([part.statusCode, part.body, part.headers['content-range']]).toEqual([206, 'and', `bytes 4-6/${content.length}`]);
  const etag = String(whole.headers.etag);
  expect(etag).toMatch(/"/);
  expect((await get(`/agent/${file}`, { 'if-none-match': etag })).statusCode).toBe(304);
});

it('serves nothing else of its folder', async () => {
  build();
  for (const path of ['index.json', 'x', '..%2fpackage.json', '%2e%2e%2fpackage.json', 'install', 'constructor'])
    expect([path, (await get(`/agent/${path}`)).statusCode]).toEqual([path, 404]);
});

it.each(['install.sh', 'install.ps1'])('puts its own address into %s', async (script) => {
  const answer = await get(`/agent/${script}`);
  expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, expect.stringMatching(/^text\//)]);
  expect(answer.body).toContain('https://cloudfit.example/agent/install.');
  expect(answer.body).not.toContain('@SERVER@');
});
