/** `npm run deb`: makes the Debian package of the server for machines like this one. `--version 1.2.3` names another version. */
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildPortal } from '../build-portal.mjs';
import { root } from '../install.mjs';
import { home, makeTree } from './tree.mjs';

const architectures = { x64: 'amd64', arm64: 'arm64' };

/** The file with what dpkg reads about the package. `kib`: the space that it needs. */
const controlOf = ({ version, architecture, kib }) => `Package: cloudfit-server
Version: ${version}
Architecture: ${architecture}
Maintainer: CloudFit <cloudfit@localhost>
Installed-Size: ${kib}
Depends: libc6 (>= 2.28), init-system-helpers, passwd, util-linux
Section: admin
Priority: optional
Description: operations and service management
 Devices, rules, protocols and work units: API, portal, worker and an embedded PostgreSQL.
`;

function run(program, ...args) {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 64 * 1024 ** 2 });
  if (status !== 0) throw new Error(`${program} failed: ${error?.message ?? stderr.trim()}`);
  return stdout;
}

/** Puts everything but the tree itself into the folder: units, settings, scripts of the package. */
export function addPackaging(project, folder, { version, architecture }) {
  const place = (from, to, mode) => {
    mkdirSync(join(folder, to, '..'), { recursive: true });
    cpSync(join(project, 'deploy', from), join(folder, to));
    chmodSync(join(folder, to), mode);
  };
  for (const unit of ['cloudfit.service', 'cloudfit@.service']) place(`systemd/${unit}`, `usr/lib/systemd/system/${unit}`, 0o644);
  place('debian/cloudfit', `${home}/bin/cloudfit`, 0o755);
  place('debian/cloudfit.env', 'etc/cloudfit/cloudfit.env', 0o640);
  for (const script of ['postinst', 'prerm', 'postrm']) place(`debian/${script}`, `DEBIAN/${script}`, 0o755);
  mkdirSync(join(folder, 'usr/bin'), { recursive: true });
  run('ln', '-s', `${home}/bin/cloudfit`, join(folder, 'usr/bin/cloudfit'));
  writeFileSync(join(folder, 'DEBIAN/conffiles'), '/etc/cloudfit/cloudfit.env\n');
  const kib = Number(run('du', '-sk', folder).split('\t')[0]);
  writeFileSync(join(folder, 'DEBIAN/control'), controlOf({ version, architecture, kib }));
}

/** Makes the package in `into`; returns its path. */
async function makeDeb({ project = root, into = join(root, 'dist'), version, compression = 'zstd' }) {
  const architecture = architectures[process.arch];
  if (process.platform !== 'linux' || !architecture) throw new Error(`There is no Debian package for ${process.platform}-${process.arch}.`);
  const folder = mkdtempSync(join(tmpdir(), 'cloudfit-deb-'));
  try {
    chmodSync(folder, 0o755);
    await makeTree(project, join(folder, home), version);
    addPackaging(project, folder, { version, architecture });
    mkdirSync(into, { recursive: true });
    const file = join(into, `cloudfit-server_${version}_${architecture}.deb`);
    // A build that is interrupted leaves no file that looks whole.
    run('dpkg-deb', '--root-owner-group', `-Z${compression}`, '--build', folder, `${file}.next`);
    renameSync(`${file}.next`, file);
    return file;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (process.argv[1] === import.meta.filename) {
  const { values } = parseArgs({ options: { version: { type: 'string' }, into: { type: 'string' } } });
  if (!existsSync('/usr/bin/dpkg-deb')) {
    console.error('The package is made by dpkg-deb, which is part of Debian and its relatives.');
    process.exit(1);
  }
  const failure = buildPortal();
  if (failure) {
    console.error(`${failure}\nThe portal could not be built.`);
    process.exit(1);
  }
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  console.log(await makeDeb({ version: values.version ?? version, ...(values.into ? { into: resolve(values.into) } : {}) }));
}
