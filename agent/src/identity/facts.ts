/** Reads the facts by which this machine is told apart from a copy of it. Only hashes of them leave this file. */
import { execFileSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MachineFacts } from '@cloudfit/contract/agent/machine-facts.ts';

/** Values that many machines share, because nobody has set them. */
const meaningless =
  /^(?:|uninitialized|none|unknown|default string|not (?:specified|present|applicable|settable).*|to be filled.*|[0f-]+|(?:00:?)+)$/i;

/** The hash of a fact; undefined for one that says nothing. The ids themselves are confidential (machine-id(5)). */
export function hashOf(name: keyof MachineFacts, value: string | undefined): string | undefined {
  const text = value?.trim().toLowerCase() ?? '';
  return meaningless.test(text) ? undefined : createHmac('sha256', `cloudfit-agent ${name}`).update(text).digest('hex');
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // The fact is not there, or only root may read it.
    return undefined;
  }
}

/** The output of a program of the system, or undefined. */
function ask(command: string, args: readonly string[]): string {
  try {
    return execFileSync(command, args, { encoding: 'utf8', timeout: 5_000, windowsHide: true, stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return '';
  }
}

/** The addresses of the physical network cards, which have a device, in the order of their names. */
function networkCards(root: string): string[] {
  const folder = join(root, 'sys/class/net');
  const names = existsSync(folder) ? readdirSync(folder).toSorted() : [];
  return names.flatMap((name) => (existsSync(join(folder, name, 'device')) ? [read(join(folder, name, 'address')) ?? ''] : []));
}

interface RawFacts {
  system: string | undefined;
  hardware: string | undefined;
  networkCards: string[];
}

function linuxFacts(root: string): RawFacts {
  const dmi = join(root, 'sys/class/dmi/id');
  const firstOf = (...files: string[]) => files.map(read).find((text) => hashOf('hardware', text) !== undefined);
  return {
    system: firstOf(join(root, 'etc/machine-id'), join(root, 'var/lib/dbus/machine-id')),
    hardware: firstOf(
      join(dmi, 'product_uuid'),
      join(dmi, 'product_serial'),
      join(dmi, 'board_serial'),
      join(root, 'sys/firmware/devicetree/base/serial-number'),
    ),
    networkCards: networkCards(root),
  };
}

function windowsFacts(): RawFacts {
  const registry = (key: string, value: string) => /REG_SZ\s+(.+)/.exec(ask('reg', ['query', key, '/v', value]))?.[1];
  // Each line is the address of a card and the name of its transport; an unplugged card has none.
  const cards = ask('getmac', ['/fo', 'csv', '/nh']).matchAll(/"((?:[0-9A-F]{2}-){5}[0-9A-F]{2})"/gi);
  return {
    system: registry(String.raw`HKLM\SOFTWARE\Microsoft\Cryptography`, 'MachineGuid'),
    hardware: registry(String.raw`HKLM\SYSTEM\CurrentControlSet\Control\SystemInformation`, 'ComputerHardwareId'),
    networkCards: [...cards].map((card) => card[1] ?? '').toSorted(),
  };
}

function macFacts(): RawFacts {
  const text = ask('ioreg', ['-rd1', '-c', 'IOPlatformExpertDevice']);
  const card = /ether ([0-9a-f:]{17})/.exec(ask('ifconfig', ['en0']))?.[1];
  return {
    system: /"IOPlatformUUID" = "([^"]+)"/.exec(text)?.[1],
    hardware: /"IOPlatformSerialNumber" = "([^"]+)"/.exec(text)?.[1],
    networkCards: card === undefined ? [] : [card],
  };
}

/**
 * Returns the facts of this machine. `root`: the folder of the machine's files, which is not `/` for an agent in a container. The network
 * card of `before` counts as the first one for as long as it is there, so that a further card changes nothing.
 */
export function readFacts(root: string, before: MachineFacts = {}): MachineFacts {
  const raw = process.platform === 'win32' ? windowsFacts() : process.platform === 'darwin' ? macFacts() : linuxFacts(root);
  const cards = raw.networkCards.flatMap((card) => hashOf('networkCard', card) ?? []);
  return {
    system: hashOf('system', raw.system),
    hardware: hashOf('hardware', raw.hardware),
    networkCard: cards.find((card) => card === before.networkCard) ?? cards[0],
  };
}
