/** The files of `deploy/`: everything in them names what there is, and the package has what a server needs. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { settings } from '../../server/src/platform/settings.ts';
import { freePort } from '../../server/src/testing/server-process.ts';
import { root } from '../install.mjs';
import { addPackaging } from './deb.mjs';
import { home, makeTree } from './tree.mjs';

const deploy = join(root, 'deploy');
const read = (path: string): string => readFileSync(join(deploy, path), 'utf8');
const settingNames = new Set(Object.values(settings).map(({ name }) => name));
/** Variables of Node and of other programs. */
const foreign = new Set(['NODE_COMPILE_CACHE', 'POSTGRES_PASSWORD', 'DB_APP_PASSWORD', 'STREAM_PASSWORD']);
const unknown = (names: Iterable<string>): string[] => [...names].filter((name) => !settingNames.has(name) && !foreign.has(name));
const folders: string[] = [];
const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'cloudfit-deploy-'));
  // PostgreSQL runs as another user when the test runs as root.
  chmodSync(folder, 0o755);
  folders.push(folder);
  return folder;
};
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

interface Service {
  environment?: Record<string, string>;
  networks: string[] | Record<string, { ipv4_address?: string }>;
  depends_on?: string[] | Record<string, unknown>;
  volumes?: string[];
  build?: string;
  stop_grace_period?: string;
  profiles?: string[];
}

it('the compose file names services, volumes, networks and settings that there are', () => {
  const file = parse(read('compose/compose.yml'), { merge: true }) as {
    services: Record<string, Service>;
    volumes: Record<string, null>;
    networks: Record<string, unknown>;
  };
  const services = Object.entries(file.services);
  const addresses: string[] = [];
  for (const [name, service] of services) {
    const needed = Array.isArray(service.depends_on) ? service.depends_on : Object.keys(service.depends_on ?? {});
    expect([name, needed.filter((other) => !(other in file.services))]).toEqual([name, []]);
    const networks = Array.isArray(service.networks) ? service.networks : Object.keys(service.networks);
    expect([name, networks.filter((network) => !(network in file.networks))]).toEqual([name, []]);
    for (const [source = ''] of (service.volumes ?? []).map((volume) => volume.split(':')))
      expect([source, source.startsWith('.') ? existsSync(join(deploy, 'compose', source)) : source in file.volumes]).toEqual([
        source,
        true,
      ]);
    expect([name, unknown(Object.keys(service.environment ?? {}))]).toEqual([name, []]);
    if (service.build !== undefined) expect(existsSync(join(deploy, 'compose', service.build, 'Dockerfile'))).toBe(true);
    if (!Array.isArray(service.networks)) addresses.push(service.networks['inside']?.ipv4_address ?? '');
  }
  expect(services.filter(([, { build }]) => build !== undefined).map(([, { environment }]) => environment?.['ROLES'])).toEqual([
    'api',
    'api',
    'worker',
    'ingest',
  ]);
  // Both exist only where there is a stream.
  expect(services.filter(([, { profiles }]) => profiles?.includes('stream')).map(([name]) => name)).toEqual(['ingest', 'nats']);
  // The balancer of the compose file is that of deploy/haproxy.
  const balanced = [...read('haproxy/haproxy.cfg').matchAll(/^ {2}server \S+ (\S+):8080$/gm)].map(([, address]) => address);
  expect([...new Set(balanced)]).toEqual(addresses);
});

/** Renders what the chart uses of Helm's templates: values, `quote`, and `if` around whole lines. */
function render(template: string, values: Record<string, unknown>): string {
  const valueOf = (path: string): unknown =>
    path.split('.').reduce<unknown>(
      (value, key) => {
        const item = (value as Record<string, unknown> | undefined)?.[key];
        if (item === undefined) throw new Error(`The values lack ${path}.`);
        return item;
      },
      { Values: values, Release: { Name: 'ops' } },
    );
  return template
    .replaceAll(/\n\{\{- if \.([\w.]+) \}\}(.*?)\n\{\{- end \}\}/gs, (_, path: string, body: string) => (valueOf(path) ? body : ''))
    .replaceAll(/\{\{ \.([\w.]+)( \| quote)? \}\}/g, (_, path: string, quote?: string) =>
      quote ? JSON.stringify(String(valueOf(path))) : String(valueOf(path)),
    );
}

interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
  data?: Record<string, string>;
  spec?: {
    selector?: Record<string, string> & { matchLabels?: Record<string, string> };
    template?: {
      metadata: { labels: Record<string, string> };
      spec: {
        containers: {
          env: { name: string }[];
          envFrom: { configMapRef?: { name: string } }[];
          ports: { name: string }[];
          livenessProbe: { httpGet: { port: string } };
          volumeMounts: { name: string }[];
        }[];
        volumes: { name: string }[];
      };
    };
  };
}

describe('the Helm chart', () => {
  const values = parse(read('helm/cloudfit/values.yaml')) as Record<string, unknown>;
  const templates = readdirSync(join(deploy, 'helm/cloudfit/templates')).map((name) => read(`helm/cloudfit/templates/${name}`));
  const manifestsOf = (input: Record<string, unknown>): Manifest[] =>
    templates.flatMap((template) =>
      parseAllDocuments(render(template, input)).map((document) => {
        expect(document.errors).toEqual([]);
        return document.toJS() as Manifest;
      }),
    );

  it('renders whole manifests, with each value in its place', () => {
    const manifests = manifestsOf(values);
    expect(manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`).toSorted()).toEqual([
      'ConfigMap ops-settings',
      'Deployment ops-api',
      'Deployment ops-worker',
      'Ingress ops',
      'PodDisruptionBudget ops-api',
      'PodDisruptionBudget ops-worker',
      'Service ops-api',
    ]);
    const deployments = manifests.flatMap(({ kind, spec }) =>
      kind === 'Deployment' && spec?.template ? [{ spec, template: spec.template }] : [],
    );
    for (const { spec, template } of deployments) {
      const [container] = template.spec.containers;
      expect(template.metadata.labels).toMatchObject(spec.selector?.matchLabels ?? { none: '' });
      expect(container?.ports.map(({ name }) => name)).toContain(container?.livenessProbe.httpGet.port);
      expect(container?.volumeMounts.map(({ name }) => name)).toEqual(template.spec.volumes.map(({ name }) => name));
      expect(unknown(container?.env.map(({ name }) => name) ?? [])).toEqual([]);
      expect(container?.envFrom[0]?.configMapRef?.name).toBe('ops-settings');
    }
    const labels = deployments.map(({ template }) => template.metadata.labels);
    for (const { kind, spec } of manifests.filter((manifest) => manifest.kind !== 'Deployment' && manifest.spec?.selector)) {
      const selector = spec?.selector?.matchLabels ?? spec?.selector ?? {};
      const isMet = labels.some((of) => Object.entries(selector).every(([name, value]) => of[name] === value));
      expect([kind, isMet]).toEqual([kind, true]);
    }
    expect(unknown(Object.keys(manifests.find(({ kind }) => kind === 'ConfigMap')?.data ?? {}))).toEqual([]);
  });

  it('adds processes that write the stream, for an installation that has one', () => {
    const ingest = values['ingest'] as Record<string, unknown>;
    const added = manifestsOf({ ...values, ingest: { ...ingest, enabled: true } }).filter(({ metadata }) => metadata.name === 'ops-ingest');
    expect(added.map(({ kind }) => kind)).toEqual(['Deployment', 'PodDisruptionBudget']);
    const [container] = added[0]?.spec?.template?.spec.containers ?? [];
    expect(container?.env).toContainEqual({ name: 'ROLES', value: 'ingest' });
    expect(added[1]?.spec?.selector?.matchLabels).toMatchObject({ 'app.kubernetes.io/component': 'ingest' });
    expect(added[0]?.spec?.template?.metadata.labels).toMatchObject(added[1]?.spec?.selector?.matchLabels ?? {});
  });

  it('leaves the ingress out, and uses every value that it has', () => {
    const without = manifestsOf({ ...values, ingress: { enabled: false } });
    expect(without.map(({ kind }) => kind)).not.toContain('Ingress');
    const used = new Set(templates.flatMap((template) => [...template.matchAll(/\.Values\.([\w.]+)/g)].map(([, path]) => path)));
    const paths = (of: Record<string, unknown>, before = ''): string[] =>
      Object.entries(of).flatMap(([key, value]) =>
        typeof value === 'object' && value !== null ? paths(value as Record<string, unknown>, `${before}${key}.`) : [`${before}${key}`],
      );
    expect(paths(values).filter((path) => !used.has(path))).toEqual([]);
  });
});

describe('the units of systemd', () => {
  const units = readdirSync(join(deploy, 'systemd'));

  it('set what the server reads', () => {
    for (const unit of units) {
      const names = [...read(`systemd/${unit}`).matchAll(/^Environment=(.*)$/gm)].flatMap(([, line = '']) =>
        line.split(' ').map((item) => item.split('=')[0] ?? ''),
      );
      expect([unit, unknown(names)]).toEqual([unit, []]);
    }
    const shown = [...read('debian/cloudfit.env').matchAll(/^#?([A-Z_]+)=/gm)].map(([, name = '']) => name);
    expect(unknown(shown)).toEqual([]);
  });

  it('know each role: no role runs beside the service of all, and an upgrade restarts what runs', () => {
    const roles = ['api', 'worker', 'ingest'].map((role) => `cloudfit@${role}.service`);
    expect(/^Conflicts=(.*)$/m.exec(read('systemd/cloudfit.service'))?.[1]?.split(' ')).toEqual(roles);
    for (const script of ['postinst', 'prerm']) expect(read(`debian/${script}`)).toContain(` cloudfit.service ${roles.join(' ')} `);
  });

  it.skipIf(!existsSync('/usr/bin/systemd-analyze'))('are valid', () => {
    const folder = newFolder();
    for (const unit of units)
      // The program is not installed here.
      writeFileSync(
        join(folder, unit.replace('@.', '@api.')),
        read(`systemd/${unit}`)
          .replace(/^ExecStart=.*/m, 'ExecStart=/bin/true')
          .replace(/^Documentation=.*\n/m, ''),
      );
    for (const unit of readdirSync(folder)) {
      const { stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', join(folder, unit)], { encoding: 'utf8' });
      expect(stderr.split('\n').filter((line) => line.includes('cloudfit'))).toEqual([]);
    }
  });
});

describe.skipIf(!existsSync('/usr/bin/dpkg-deb'))('the Debian package', () => {
  it('has units, settings that only its user reads, and scripts that a shell understands', () => {
    const folder = newFolder();
    mkdirSync(join(folder, home), { recursive: true });
    addPackaging(root, folder, { version: '1.2.3', architecture: 'amd64' });
    const file = join(newFolder(), 'cloudfit.deb');
    execFileSync('dpkg-deb', ['--root-owner-group', '-Znone', '--build', folder, file]);
    const contents = execFileSync('dpkg-deb', ['--contents', file], { encoding: 'utf8' });
    for (const line of [
      /^-rwxr-xr-x root\/root .* \.\/opt\/cloudfit\/bin\/cloudfit$/m,
      /^-rw-r----- root\/root .* \.\/etc\/cloudfit\/cloudfit\.env$/m,
      /^-rw-r--r-- root\/root .* \.\/usr\/lib\/systemd\/system\/cloudfit@\.service$/m,
      /^lrwxrwxrwx root\/root .* \.\/usr\/bin\/cloudfit -> \/opt\/cloudfit\/bin\/cloudfit$/m,
    ])
      expect(contents).toMatch(line);
    expect(execFileSync('dpkg-deb', ['--field', file, 'Version'], { encoding: 'utf8' })).toBe('1.2.3\n');
    for (const script of ['postinst', 'prerm', 'postrm', 'cloudfit']) execFileSync('sh', ['-n', join(deploy, 'debian', script)]);
  });

  // `npm test` builds the portal first.
  it.skipIf(!existsSync(join(root, 'portal/dist/index.html')))('runs without npm and the sources', { timeout: 180_000 }, async () => {
    const tree = join(newFolder(), 'tree');
    await makeTree(root, tree, '1.2.3', tree);
    expect(
      readdirSync(tree, { recursive: true, encoding: 'utf8' }).filter((path) => /^(server|contract|agent)\/.*\.ts$/.test(path)),
    ).toEqual([]);
    // Devices have no libraries, and neither has the tree from which their packages are made.
    const scripts = join(tree, 'server/packages');
    const importing = readdirSync(scripts, { recursive: true, encoding: 'utf8' }).filter(
      (path) => path.endsWith('.mjs') && /^import .* from ['"](?!node:|\.)/m.test(readFileSync(join(scripts, path), 'utf8')),
    );
    expect(importing).toEqual([]);
    const port = await freePort();
    const dataDir = join(newFolder(), 'data');
    const server = spawn(join(tree, 'bin/node'), [join(tree, 'server/dist/release/server/main.mjs')], {
      cwd: '/',
      env: { PATH: process.env['PATH'], PORT: String(port), DATA_DIR: dataDir, AGENT: 'off', DRAIN_SECONDS: '0' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [server.stdout, server.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    const exited = new Promise((done) => server.once('exit', done));
    try {
      await expect.poll(() => output, { timeout: 120_000 }).toContain('CloudFit is running');
      for (const [path, text] of [
        ['/readyz', '"status":"ok"'],
        ['/docs', 'swagger'],
        ['/user/login', '<div id="root">'],
      ] as const)
        expect([path, await (await fetch(`http://127.0.0.1:${port}${path}`, { headers: { accept: 'text/html' } })).text()]).toEqual([
          path,
          expect.stringContaining(text),
        ]);
      expect(statSync(join(dataDir, 'postgres')).isDirectory()).toBe(true);
    } finally {
      server.kill('SIGTERM');
      await exited;
    }
  });
});
