import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const source = readFileSync(join(import.meta.dirname, 'install.sh'), 'utf8');
const arch = process.arch === 'arm64' ? 'arm64' : 'x64';
const file = `cloudfit-agent-linux-${arch}`;
const token = 'cf_enrol-1';

let folder: string;
let server: Server;
let url: string;
let program: string;
let sum: string | undefined;
let served: string[];

function offer(version: string): void {
  program = `#!/bin/sh\necho ${version}\n`;
  sum = createHash('sha256').update(program).digest('hex');
}

beforeEach(async () => {
  // Everybody may enter the folder, so that another account can run the programs in it.
  folder = mkdtempSync(join(tmpdir(), 'install-'));
  chmodSync(folder, 0o755);
  served = [];
  offer('1.0.0');
  server = createServer(({ url: path = '' }, response) => {
    served.push(path);
    const sums = sum === undefined ? undefined : `${sum}  ${file}\n`;
    const body = {
      '/agent/install.sh': source.replaceAll('@SERVER@', url),
      '/agent/SHA256SUMS': sums,
      [`/agent/${file}.gz`]: gzipSync(program),
    }[path];
    response.writeHead(body === undefined ? 404 : 200).end(body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs the line that the portal shows, with `folder` in place of `/`; a fake systemctl logs its calls. */
async function install(args: string[], { systemd = true, env = {} }: { systemd?: boolean; env?: NodeJS.ProcessEnv } = {}) {
  const bin = join(folder, 'bin');
  mkdirSync(bin, { recursive: true });
  mkdirSync(join(folder, 'run'), { recursive: true });
  writeFileSync(join(bin, 'systemctl'), `#!/bin/sh\necho "$@" >>${folder}/systemctl.log\n`, { mode: 0o755 });
  writeFileSync(join(bin, 'userdel'), `#!/bin/sh\necho "$@" >>${folder}/userdel.log\n`, { mode: 0o755 });
  const child = spawn('sh', ['-c', `curl -fsSL ${url}/agent/install.sh | sh -s -- ${args.join(' ')}`], {
    env: {
      ...process.env,
      PATH: `${bin}${delimiter}${process.env['PATH']}`,
      PREFIX: folder,
      SYSTEMD_RUNTIME: systemd ? join(folder, 'run') : '/nowhere',
      HOME: folder,
      XDG_DATA_HOME: join(folder, 'opt'),
      XDG_CONFIG_HOME: join(folder, 'etc'),
      XDG_STATE_HOME: join(folder, 'var/lib'),
      ...env,
    },
  });
  let out = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (out += text));
  const [code] = (await once(child, 'close')) as [number];
  return { code, out };
}

const at = (path: string) => join(folder, path);
const installed = () => at('opt/cloudfit-agent/cloudfit-agent');
const mode = (path: string) => statSync(path).mode & 0o777;
const isRoot = process.getuid?.() === 0;
const first = () => install([`--url ${url}`, `--token ${token}`, '--user daemon']);

describe.runIf(process.platform === 'linux')('install.sh', () => {
  it('installs what the server offers, with a token that nobody else reads', async () => {
    expect(await first()).toMatchObject({ code: 0 });
    expect([readFileSync(installed(), 'utf8'), mode(installed())]).toEqual([program, 0o755]);
    expect([readFileSync(at('etc/cloudfit-agent/token'), 'utf8'), mode(at('etc/cloudfit-agent/token'))]).toEqual([`${token}\n`, 0o600]);
    expect(mode(at('etc/cloudfit-agent'))).toBe(0o700);
  });

  it.runIf(isRoot)('sets up a service that systemd takes, and starts it', async () => {
    await first();
    const unit = at('etc/systemd/system/cloudfit-agent.service');
    expect(readFileSync(unit, 'utf8')).toContain(`ExecStart=${installed()} --supervise\n`);
    expect(readFileSync(at('systemctl.log'), 'utf8').trim().split('\n')).toEqual([
      'daemon-reload',
      'enable cloudfit-agent.service',
      'restart cloudfit-agent.service',
    ]);
  });

  it.runIf(isRoot)('has a unit in which systemd-analyze finds no fault and little exposure', async (context) => {
    const analyze = (...args: string[]) => spawnSync('systemd-analyze', [...args, unit], { encoding: 'utf8' });
    const unit = at('etc/systemd/system/cloudfit-agent.service');
    if (spawnSync('systemd-analyze', ['--version']).error) return context.skip('systemd-analyze is not installed.');
    await first();
    const verified = analyze('verify', '--man=no');
    expect([verified.status, verified.stderr]).toEqual([0, '']);
    // systemd rates the exposure from 0 (least) to 10, about that of a service without sandbox; the threshold is in tenths.
    const judged = analyze('security', '--offline=true', '--no-pager', '--threshold=30');
    expect([judged.status, judged.stdout.match(/Overall exposure level.*/)?.[0]]).toEqual([0, expect.any(String)]);
  });

  it.runIf(isRoot)('has a service that removes all of it as root, once the agent has uninstalled itself and not before', async () => {
    await first();
    const unit = readFileSync(at('etc/systemd/system/cloudfit-agent.service'), 'utf8');
    expect(unit).toContain('RestartPreventExitStatus=76\n');
    const [, line = ''] = /^ExecStopPost=\+(.*)$/m.exec(unit) ?? [];
    const stop = () =>
      spawnSync('sh', ['-c', line], { env: { ...process.env, PATH: `${join(folder, 'bin')}${delimiter}${process.env['PATH']}` } });
    expect(stop().status).toBe(0);
    expect(existsSync(installed())).toBe(true);
    writeFileSync(at('var/lib/cloudfit-agent/uninstalled'), '');
    expect(stop().status).toBe(0);
    for (const path of ['opt/cloudfit-agent', 'etc/cloudfit-agent', 'var/lib/cloudfit-agent', 'etc/systemd/system/cloudfit-agent.service'])
      expect([path, existsSync(at(path))]).toEqual([path, false]);
    expect(readFileSync(at('systemctl.log'), 'utf8').trim().split('\n').slice(-2)).toEqual([
      'disable cloudfit-agent.service',
      'daemon-reload',
    ]);
    // The service ran as an account that somebody else has.
    expect(existsSync(at('userdel.log'))).toBe(false);
  });

  it('run again downloads nothing that is there, keeps the token, and takes a new version', async () => {
    await first();
    served = [];
    expect(await install([])).toMatchObject({ code: 0, out: expect.stringContaining('is up to date') });
    expect(served).toEqual(['/agent/install.sh', '/agent/SHA256SUMS']);
    offer('1.1.0');
    expect(await install(['--token other'])).toMatchObject({ code: 0 });
    expect([readFileSync(installed(), 'utf8'), readFileSync(at('etc/cloudfit-agent/token'), 'utf8')]).toEqual([program, 'other\n']);
  });

  it('says how the agent is started where there is no systemd', async () => {
    const { code, out } = await install([`--token ${token}`], { systemd: false });
    expect(code).toBe(0);
    expect(out).toContain(`${installed()} --supervise --url ${url} --token-file ${at('etc/cloudfit-agent/token')} --state-dir`);
  });

  it.each<[string, string[], () => void, RegExp]>([
    ['a damaged download', [`--token ${token}`], () => (program += '#'), /damaged/],
    ['a server without executables', [`--token ${token}`], () => (sum = undefined), /npm run agent/],
    ['no token', [], () => undefined, /token is missing/],
    ['an unknown option', ['--tokn x'], () => undefined, /--tokn is not known/],
    ['an option without a value', ['--token'], () => undefined, /--token needs a value/],
    ['an address with a command in it', [String.raw`--url 'http://x/\$(id)'`, `--token ${token}`], () => undefined, /characters/],
    [
      'a program that does not start',
      [`--token ${token}`],
      () => ((program = '#!/nowhere\n'), (sum = createHash('sha256').update(program).digest('hex'))),
      /does not start/,
    ],
  ])('refuses %s in one line', async (_what, args, spoil, message) => {
    spoil();
    const { code, out } = await install(args);
    expect([code, out]).toEqual([1, expect.stringMatching(message)]);
    if (args.length === 0) expect(served).toEqual(['/agent/install.sh']);
    expect(existsSync(at('etc/systemd'))).toBe(false);
  });

  it('stores a proxy where nobody else reads it, and forgets it', async () => {
    const proxyFile = at('var/lib/cloudfit-agent/proxy');
    const stored = () => existsSync(proxyFile) && readFileSync(proxyFile, 'utf8');
    // curl goes through the proxy too, which here is the server itself: it is asked with whole addresses.
    const address = url.replace('//', '//eva:pass@');
    const relay = (request: { url?: string }) => (request.url = request.url?.replace(/^http:\/\/[^/]+/, ''));
    server.prependListener('request', relay);
    const { code, out } = await install([`--token ${token}`, '--user daemon', `--proxy ${address}`, '--url http://cloudfit.test']);
    expect([code, stored(), mode(proxyFile)]).toEqual([0, `${address}\n`, 0o600]);
    expect(out).not.toContain('eva');
    expect(served).toContain('/agent/SHA256SUMS');
    expect(await install([`--proxy none`, '--user daemon'])).toMatchObject({ code: 0 });
    expect(stored()).toBe(false);
    await install(['--user daemon'], { env: { https_proxy: address, no_proxy: '127.0.0.1' } });
    expect(stored()).toBe(false);
    await install(['--user daemon'], { env: { https_proxy: address } });
    expect(stored()).toBe(`${address}\n`);
  });

  it.each([
    ['ftp://proxy', /not one of http or https/],
    ["'http://p roxy'", /characters/],
  ])('refuses the proxy %s', async (proxy, message) => {
    expect(await install([`--token ${token}`, `--proxy ${proxy}`])).toMatchObject({
      code: 1,
      out: expect.stringMatching(message) as string,
    });
  });

  it.runIf(isRoot)('removes the account that it has made with --purge', async () => {
    const id = join(folder, 'bin', 'id');
    await first();
    writeFileSync(id, '#!/bin/sh\ncase "$1" in -u) echo 0 ;; cloudfit-agent) exit 0 ;; esac\n', { mode: 0o755 });
    await install(['--uninstall']);
    expect(existsSync(at('userdel.log'))).toBe(false);
    await install(['--uninstall', '--purge']);
    expect(readFileSync(at('userdel.log'), 'utf8')).toBe('cloudfit-agent\n');
  });

  it('removes the agent, and with --purge its identity', async () => {
    await first();
    mkdirSync(at('var/lib/cloudfit-agent'), { recursive: true });
    expect(await install(['--uninstall'])).toMatchObject({ code: 0 });
    const left = () =>
      ['opt/cloudfit-agent', 'etc/systemd/system/cloudfit-agent.service', 'etc/cloudfit-agent/token', 'var/lib/cloudfit-agent'].map(
        (path) => existsSync(at(path)),
      );
    expect(left()).toEqual([false, false, true, true]);
    expect(await install(['--uninstall', '--purge'])).toMatchObject({ code: 0 });
    expect(left()).toEqual([false, false, false, false]);
    expect(await install(['--uninstall'])).toMatchObject({ code: 0 });
  });
});
