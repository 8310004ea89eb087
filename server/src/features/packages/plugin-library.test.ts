/** The plugins of Debian's monitoring-plugins by their names: typed parameters, and each plugin that can run here. */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parameterSource } from '@cloudfit/contract/enums.ts';
import { createScripts, type Scripts } from '../../testing/scripts.ts';
import { manifestOfBuiltIn } from './built-in.ts';

interface PluginOption {
  name: string;
  flag?: string;
  type: 'Text' | 'Integer' | 'Number' | 'Flag' | 'Optional';
  required?: boolean;
}
interface Plugin {
  package: string;
  options: PluginOption[];
  secrets?: { name: string; key: string }[];
}

const sources = fileURLToPath(new URL('../../../packages', import.meta.url));
const plugins = JSON.parse(readFileSync(join(sources, 'plugin-runner', 'plugins.json'), 'utf8')) as Record<string, Plugin>;
const places = ['/usr/lib/nagios/plugins', ...(process.env['PATH'] ?? '').split(delimiter)];
const pathOf = (name: string) => places.map((folder) => join(folder, name)).find((path) => existsSync(path));

let folder: string;
let bin: string;
let scripts: Scripts;
const runScript: Scripts['run'] = (...run) => scripts.run(...run);
beforeAll(async () => {
  scripts = await createScripts(['plugin-runner']);
  ({ folder } = scripts);
  bin = join(folder, 'bin');
  mkdirSync(bin);
});
afterAll(() => scripts.close());

const run = (name: string, parameters: Record<string, string>, env: Record<string, string> = {}) =>
  runScript('plugin-runner', name, parameters, env);

it('offers each plugin of both packages as an operation with the parameters of its options', async () => {
  const { operations } = await manifestOfBuiltIn(sources, 'plugin-runner');
  expect(operations.map(({ name }) => name)).toEqual(['Plugin', ...Object.keys(plugins)]);
  for (const { name, parameters } of operations.slice(1)) {
    const { options, secrets } = plugins[name] ?? { options: [] };
    expect([name, parameters.map((parameter) => ({ name: parameter.Name, required: parameter.Required }))]).toEqual([
      name,
      [
        ...options.map((option) => ({ name: option.name, required: option.required ?? false })),
        ...(secrets ? [{ name: 'Secrets', required: false }] : []),
        { name: 'Further arguments', required: false },
      ],
    ]);
    const secured = parameters.filter((parameter) => parameter.Source === parameterSource.securedValue);
    for (const secret of secrets ?? []) expect(secured[0]?.Description).toContain(`{${secret.name}}`);
  }
});

describe('a plugin by its name', () => {
  beforeAll(() => {
    // Takes the place of a plugin that is not installed where the tests run.
    const script = ['#!/bin/sh', 'echo "OK - $*"', 'case "$1" in --extra-opts=*) stat -c %a "${1#*@}"; cat "${1#*@}";; esac'];
    for (const name of ['check_mysql', 'check_oracle']) writeFileSync(join(bin, name), script.join('\n'), { mode: 0o755 });
  });

  it.skipIf(pathOf('check_mysql'))('gets its options as words, and its secrets in a private file', async () => {
    const parameters = { Hostname: 'db 1', Port: '3306', SSL: 'yes', 'Check slave': 'no', 'Further arguments': '-x "two words"' };
    const { code, output } = await run('check_mysql', parameters, {
      PATH: `${bin}:${process.env['PATH']}`,
      CLOUDFIT_SECRET_PASSWORD: 'top secret',
    });
    const [first = '', mode, ...lines] = output.trimEnd().split('\n');
    expect([code, mode, lines]).toEqual([0, '600', ['[check_mysql]', 'password=top secret']]);
    expect(first).toMatch(/^OK - --extra-opts=check_mysql@\S+ -H db 1 -P 3306 -l -x two words$/);
    expect(existsSync(/@(\S+)/.exec(first)?.[1] ?? '')).toBe(false);
  });

  it('is UNKNOWN with a wrong value, without a required one, and where it is missing', async () => {
    const unknown = (text: string) => ({ code: 3, output: `UNKNOWN - ${text}\n` });
    const env = { PATH: bin };
    expect(await run('check_mysql', { Port: 'x' }, env)).toMatchObject(unknown('Port must be a whole number.'));
    expect(await run('check_mysql', { SSL: 'maybe' }, env)).toMatchObject(unknown('SSL must be yes or no.'));
    expect(await run('check_oracle', { Mode: '--tns' }, env)).toMatchObject(unknown('Target is required.'));
    if (pathOf('check_wave')) return;
    const parameters = { Hostname: 'x', Warning: '1', Critical: '2' };
    expect(await run('check_wave', parameters, env)).toMatchObject(
      unknown('check_wave is not on this machine. Install it: apt install monitoring-plugins-standard (Debian, Ubuntu).'),
    );
  });
});

it('is UNKNOWN with the reason of a plugin that cannot run or prints nothing', async () => {
  const Plugin = join(bin, 'check_odd');
  const answer = async (script: string) => {
    writeFileSync(Plugin, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const { code, output } = await run('Plugin', { Plugin });
    return [code, output];
  };
  const library = 'check_odd: error while loading shared libraries: libodd.so.1';
  expect(await answer(`echo "${library}" >&2; exit 127`)).toEqual([3, `UNKNOWN - ${library}\n`]);
  expect(await answer('exit 2')).toEqual([2, 'CRITICAL - the plugin printed nothing and ended with exit code 2\n']);
  expect(await answer('kill -9 $$')).toEqual([3, 'UNKNOWN - the plugin printed nothing and ended with SIGKILL\n']);
  expect(await answer('echo "PUMP OK"; exit 9')).toEqual([3, 'PUMP OK\n']);
});

/** Prints the help of a plugin, as far as the plugin can start at all. */
function helpOf(path: string): Promise<string> {
  return new Promise((resolve) => {
    execFile(path, ['--help'], { timeout: 20_000 }, (_error, output, errors) => resolve(output + errors));
  });
}

const cannotStart = /error while loading shared libraries|Can't locate|cannot open|not found/;

/** Values for required parameters; nothing listens at the port. */
function valueFor({ name, type }: PluginOption): string {
  if (name === 'Hostname') return '127.0.0.1';
  if (type === 'Integer' || /^(?:Port|State)$/.test(name)) return '9';
  return /warning|critical/i.test(name) ? '90,90%' : '/tmp/x';
}

const present = Object.entries(plugins).flatMap(([name, plugin]) => {
  const path = pathOf(name);
  return path ? [{ name, path, plugin }] : [];
});

describe.skipIf(present.length === 0)('the plugins of this machine', () => {
  it.concurrent.each(present)('$name has the options of the table, and runs', async ({ name, path, plugin }) => {
    const help = await helpOf(path);
    if (cannotStart.test(help)) return;
    for (const { flag } of plugin.options) if (flag) expect([name, help.includes(flag)]).toEqual([name, true]);
    const parameters = Object.fromEntries(
      plugin.options.filter((option) => option.required).map((option) => [option.name, valueFor(option)]),
    );
    const { code, output } = await run(name, parameters);
    expect([name, [0, 1, 2, 3].includes(code), output]).toEqual([name, true, expect.stringMatching(/\S/)]);
    expect(output).not.toMatch(/unrecognized option|invalid option|Unknown option/i);
  });

  it.skipIf(!pathOf('check_load'))('tell their state and values with typed parameters', async () => {
    const load = await run('check_load', { Warning: '900,900,900', Critical: '999,999,999' });
    expect(load).toMatchObject({ code: 0, output: expect.stringMatching(/^LOAD OK .*\|load1=[\d.]+;900/i) as string });
    expect((await run('check_file_age', { File: '/etc/no-such-file', 'Ignore missing': 'yes' })).code).toBe(0);
    expect((await run('check_dummy', { State: '2', Message: 'two words' })).output).toBe('CRITICAL: two words\n');
  });
});
