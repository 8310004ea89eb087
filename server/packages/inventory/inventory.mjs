import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { arch, cpus, hostname, networkInterfaces, platform, release, totalmem, version } from 'node:os';
import { promisify } from 'node:util';
import { report, run } from './operation.mjs';

const execute = promisify(execFile);
const maxBuffer = 64 * 1024 ** 2;
/** Maximum number of programs in a packet. */
const softwareMax = 3_000;

const outputOf = async (command, args) => (await execute(command, args, { maxBuffer }).catch(() => ({ stdout: '' }))).stdout;
const read = async (file) => (await readFile(file, 'utf8').catch(() => '')).trim();

async function operatingSystem() {
  if (platform() === 'win32') return `${version()} ${release()}`;
  if (platform() === 'darwin') return `macOS ${(await outputOf('sw_vers', ['-productVersion'])).trim()}`;
  return /^PRETTY_NAME="?([^"\n]+)/m.exec(await read('/etc/os-release'))?.[1] ?? `${platform()} ${release()}`;
}

async function hardware() {
  if (platform() === 'linux') {
    const of = (name) => read(`/sys/class/dmi/id/${name}`);
    return { Manufacturer: await of('sys_vendor'), Model: await of('product_name'), SerialNumber: await of('product_serial') };
  }
  if (platform() !== 'win32') return {};
  const script = 'Get-CimInstance Win32_ComputerSystem | Select-Object Manufacturer,Model | ConvertTo-Json -Compress';
  const json = await outputOf('powershell', ['-NoProfile', '-NonInteractive', '-Command', script]);
  return json === '' ? {} : JSON.parse(json);
}

/** Reads the installed programs, of 64 and of 32 bits, from the uninstall keys of the registry. */
async function windowsSoftware() {
  const software = new Map();
  for (const root of ['HKLM\\SOFTWARE', 'HKLM\\SOFTWARE\\WOW6432Node']) {
    const text = await outputOf('reg', ['query', `${root}\\Microsoft\\Windows\\CurrentVersion\\Uninstall`, '/s']);
    for (const block of text.split(/\r?\n\r?\n/)) {
      const field = (name) => new RegExp(`^\\s+${name}\\s+REG_\\w+\\s+(.*?)\\r?$`, 'm').exec(block)?.[1] ?? '';
      if (field('DisplayName') !== '') software.set(field('DisplayName'), field('DisplayVersion'));
    }
  }
  return [...software].map(([name, installedVersion]) => ({ name, version: installedVersion }));
}

async function linuxSoftware() {
  const debian = await outputOf('dpkg-query', ['-W', '-f', '${db:Status-Abbrev}\t${binary:Package}\t${Version}\n']);
  const installed = debian.split('\n').filter((line) => line.startsWith('ii'));
  const lines =
    installed.length > 0 ? installed : (await outputOf('rpm', ['-qa', '--qf', 'ii\t%{NAME}\t%{VERSION}-%{RELEASE}\n'])).split('\n');
  return lines.flatMap((line) => {
    const [, name, installedVersion] = line.split('\t');
    return name ? [{ name, version: installedVersion ?? '' }] : [];
  });
}

function addresses() {
  return Object.entries(networkInterfaces()).flatMap(([name, list = []]) =>
    list.filter((item) => !item.internal).map(({ address, family, mac }) => ({ interface: name, address, family, mac })),
  );
}

/**
 * Returns pairs [name, version] and not an object, because a packet may have 500 keys and machines have thousands of programs.
 */
const listOf = (software) =>
  software
    .toSorted((a, b) => a.name.localeCompare(b.name))
    .slice(0, softwareMax)
    .map(({ name, version }) => [name, version]);

async function inventory() {
  const software = platform() === 'win32' ? await windowsSoftware() : platform() === 'linux' ? await linuxSoftware() : [];
  const system = await operatingSystem();
  const states = {
    HostName: hostname(),
    OperatingSystem: system,
    Kernel: release(),
    Architecture: arch(),
    Processor: cpus()[0]?.model ?? '',
    ...(await hardware()),
  };
  report({
    value: system,
    metrics: { Processors: cpus().length, MemoryBytes: totalmem(), Software: software.length },
    states: Object.fromEntries(Object.entries(states).filter(([, value]) => value !== '')),
    diagnostics: { addresses: addresses(), software: listOf(software) },
  });
}

await run({ Inventory: inventory });
