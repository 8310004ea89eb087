/** `npm run client`: builds the package `@cloudfit/client` into client/dist, with its types and the command `cloudfit`. */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { rolldown } from 'rolldown';
import { root } from '../install.mjs';

const help = `npm run client: builds the package @cloudfit/client, which \`npm install client/dist\` installs elsewhere.

  --out <folder>  instead of client/dist
`;

/** The entries of the package: what one imports, and its source. */
const entries = {
  '.': 'client/src/client.ts',
  './calls': 'contract/src/calls.ts',
  './errors': 'client/src/send.ts',
  './sign-in': 'client/src/sign-in.ts',
};

/** Platforms of the sources that the package may not need, because it runs in browsers too. */
async function bundle(out) {
  const build = await rolldown({
    input: Object.fromEntries(Object.entries(entries).map(([name, source]) => [fileOf(name), join(root, source)])),
    platform: 'browser',
    cwd: root,
    transform: { target: 'es2022' },
    onLog: (_level, log) => {
      throw new Error(log.message);
    },
  });
  await build.write({ dir: out, format: 'esm', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' });
  await build.close();
}

/** Bundles the command to one file, which Node 20 runs without an installation. */
async function bundleCommand(out) {
  const build = await rolldown({
    input: join(root, 'client/src/command/main.ts'),
    platform: 'node',
    cwd: root,
    transform: { target: 'node20' },
  });
  const { output } = await build.generate({ format: 'esm', codeSplitting: false, banner: '#!/usr/bin/env node' });
  await build.close();
  writeFileSync(join(out, 'cloudfit.mjs'), output[0].code, { mode: 0o755 });
}

const fileOf = (name) => (name === '.' ? 'client' : name.slice(2));

/** Writes the types of the entries, and of the declarations that they follow from, into `out/types`. */
function writeTypes(out) {
  const config = join(out, 'tsconfig.json');
  const compilerOptions = { noEmit: false, declaration: true, emitDeclarationOnly: true, outDir: join(out, 'types'), rootDir: root };
  // Named one by one, because the compiler takes what it finds by a package's name for somebody else's.
  const contract = readdirSync(join(root, 'contract/src'), { recursive: true, encoding: 'utf8' });
  const isSource = (file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.startsWith('testing/');
  const paths = [...Object.values(entries), ...contract.filter(isSource).map((file) => `contract/src/${file}`)];
  const files = paths.map((path) => join(root, path));
  const options = { ...compilerOptions, types: ['node'], typeRoots: [join(root, 'node_modules/@types')] };
  writeFileSync(config, JSON.stringify({ extends: join(root, 'tsconfig.json'), compilerOptions: options, include: [], files }));
  const done = spawnSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', config], { encoding: 'utf8', cwd: root });
  rmSync(config);
  if (done.status !== 0) throw new Error(`The types cannot be written:\n${done.stdout}${done.stderr}`);
  // The contract is a part of the package, so it is found beside the client; what the entries do not need is left out.
  const needed = new Set();
  const waiting = Object.values(entries).map((path) => path.replace(/\.ts$/, '.d.ts'));
  for (const file of waiting) {
    if (needed.has(file)) continue;
    needed.add(file);
    const path = join(out, 'types', file);
    if (!existsSync(path)) throw new Error(`The package needs ${file}, which the compiler did not write.`);
    const up = relative(dirname(path), join(out, 'types/contract/src')) || '.';
    const above = up.startsWith('.') ? up : `./${up}`;
    const text = readFileSync(path, 'utf8')
      .replaceAll('@cloudfit/contract/', `${above}/`)
      .replaceAll(/(from '|from "|import\("|import\(')(\.[^'"]*)\.ts(?=['"])/g, '$1$2.js');
    writeFileSync(path, text);
    for (const [, to] of text.matchAll(/(?:from |import\()['"](\.[^'"]*)\.js['"]/g)) waiting.push(join(dirname(file), `${to}.d.ts`));
  }
  for (const file of readdirSync(join(out, 'types'), { recursive: true, encoding: 'utf8' }))
    if (file.endsWith('.d.ts') && !needed.has(file)) rmSync(join(out, 'types', file));
}

/** Builds the package into `out`, all of it or nothing. */
export async function buildClient(out) {
  const next = `${out}.next`;
  rmSync(next, { recursive: true, force: true });
  mkdirSync(next, { recursive: true });
  await bundle(next);
  await bundleCommand(next);
  writeTypes(next);
  const { name, version } = JSON.parse(readFileSync(join(root, 'client/package.json'), 'utf8'));
  const { dependencies } = JSON.parse(readFileSync(join(root, 'contract/package.json'), 'utf8'));
  const manifest = {
    name,
    version,
    type: 'module',
    description: 'A typed client of the API of CloudFit.',
    exports: Object.fromEntries(
      Object.entries(entries).map(([entry, source]) => [
        entry,
        { types: `./types/${source.replace(/\.ts$/, '.d.ts')}`, default: `./${fileOf(entry)}.js` },
      ]),
    ),
    bin: { cloudfit: './cloudfit.mjs' },
    engines: { node: '>=20' },
    // The types of the declarations are written with its types; nothing of it runs.
    dependencies: { zod: dependencies.zod },
  };
  writeFileSync(join(next, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  cpSync(join(root, 'client/README.md'), join(next, 'README.md'));
  rmSync(out, { recursive: true, force: true });
  renameSync(next, out);
}

if (process.argv[1] === import.meta.filename) {
  const { values } = parseArgs({ options: { out: { type: 'string' }, help: { type: 'boolean' } } });
  if (values.help) process.stdout.write(help);
  else {
    const out = resolve(values.out ?? join(root, 'client/dist'));
    await buildClient(out);
    console.log(`${relative(process.cwd(), out)} is the package.`);
  }
}
