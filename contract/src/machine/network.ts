/** Network interfaces by `/proc/net/dev` and `/sys/class/net`. Traffic passes several layers; the totals count it once. */
import { figure, increase, ranks, type Figure } from './figures.ts';
import { readNumber, type KernelFiles } from './kernel-files.ts';

/** The columns of `/proc/net/dev` that are reported, received and sent. */
const columns = { InBytes: 0, InPackets: 1, InErrors: 2, InDrops: 3, OutBytes: 8, OutPackets: 9, OutErrors: 10, OutDrops: 11 } as const;
const columnCount = 16;

export interface InterfaceSnapshot {
  kind: string;
  /** Whether its traffic is part of the totals. */
  isCounted: boolean;
  /** Number of the interface; another one when it was made again under its name. */
  index: number | undefined;
  counters: readonly number[];
  isUp: boolean | undefined;
  speedMbit: number | undefined;
}

export type InterfaceSnapshots = Readonly<Record<string, InterfaceSnapshot>>;

interface InterfaceFacts {
  name: string;
  kind: string;
  master: string | undefined;
  /** Interfaces of this machine on which it lies. */
  lowers: readonly string[];
}

/** Kinds by name, for containers that cannot read /sys. */
const kindsByName: readonly (readonly [RegExp, string])[] = [
  [/^lo$/, 'loopback'],
  [/^(docker|br-|br\d|virbr|cni|podman|lxdbr|lxcbr|vmbr|fwbr)/, 'bridge'],
  [/^bond/, 'bond'],
  [/^team/, 'team'],
  [/^vif\d+\.\d+$/, 'veth'],
  [/[.@]|^vlan/, 'vlan'],
  [/^(veth|cali|lxc|vnet|fwpr|fwln)/, 'veth'],
  [/^(tun|tap|wg|tailscale|utun|ppp)/, 'tunnel'],
  [/^(sit|gre|gretap|erspan|ip6tnl|tunl|ip_vti|ip6_vti|ip6gre|vxlan|flannel|geneve)/, 'tunnel'],
  [/^(dummy|ifb|nlmon)/, 'dummy'],
];
const kindOfName = (name: string): string => kindsByName.find(([pattern]) => pattern.test(name))?.[1] ?? 'virtual';

/** Numbers of link types (`ARPHRD_...`). */
const loopbackType = 772;
/** Tunnels that end in a program of this machine or in a modem, so that no other interface shows their traffic again. */
const onlyWays = /^(tap|tun|ppp)\d/;
const tunnelTypes = new Set([512, 768, 769, 776, 778, 823, 65_534]);
/** Kinds that the kernel names by itself. */
const deviceTypes: Readonly<Record<string, string>> = {
  vlan: 'vlan',
  bridge: 'bridge',
  bond: 'bond',
  vxlan: 'tunnel',
  geneve: 'tunnel',
  wireguard: 'tunnel',
  ppp: 'tunnel',
  macvlan: 'macvlan',
  dsa: 'port',
};

async function factsOf(files: KernelFiles, name: string, vlans: ReadonlySet<string>): Promise<InterfaceFacts> {
  const folder = `/sys/class/net/${name}`;
  const entries = await files.list(folder);
  if (entries.length === 0) {
    const kind = vlans.has(name) ? 'vlan' : kindOfName(name);
    // Without /sys nobody says on what a VLAN lies, but here it is another interface of the same list.
    return { name, kind, master: undefined, lowers: kind === 'vlan' ? ['?'] : [] };
  }
  const [events = '', type, index, lowerIndex, masterLink] = await Promise.all([
    files.read(`${folder}/uevent`),
    readNumber(files, `${folder}/type`),
    readNumber(files, `${folder}/ifindex`),
    readNumber(files, `${folder}/iflink`),
    files.link(`${folder}/master`),
  ]);
  const deviceType = deviceTypes[/^DEVTYPE=(\S+)$/m.exec(events)?.[1] ?? ''];
  const lowers = entries.flatMap((entry) => (entry.startsWith('lower_') ? [entry.slice('lower_'.length)] : []));
  const kindByName = kindOfName(name);
  const kind = (() => {
    if (type === loopbackType) return 'loopback';
    if (entries.includes('bonding')) return 'bond';
    if (entries.includes('bridge')) return 'bridge';
    if (deviceType) return deviceType;
    if (vlans.has(name)) return 'vlan';
    if (entries.includes('tun_flags')) return 'tunnel';
    // The end of a guest's card in the host, which Xen gives a device.
    if (kindByName === 'veth' && entries.includes('device')) return 'veth';
    // A modem has the type of a tunnel; a part of an InfiniBand card has the device of the whole.
    if (entries.includes('device')) return lowerIndex === undefined || lowerIndex === index ? 'physical' : 'vlan';
    if (tunnelTypes.has(type ?? 0)) return 'tunnel';
    if (kindByName === 'dummy' || kindByName === 'tunnel') return kindByName;
    if (lowers.length > 0) return 'team';
    return index === lowerIndex ? 'virtual' : 'veth';
  })();
  return { name, kind, master: masterLink?.split('/').at(-1), lowers };
}

/**
 * Returns the interfaces over which traffic leaves the machine. Bonds, bridges, VLANs and tunnels show again what passes a
 * network card; a container has no card, but one end of a pair.
 */
export function countedInterfaces(all: readonly InterfaceFacts[]): Set<string> {
  const physical = new Set(all.filter(({ kind }) => kind === 'physical').map(({ name }) => name));
  if (physical.size > 0) {
    // A virtual function that accelerates another card belongs to it: that card shows the traffic of both.
    return new Set(
      all
        .filter(({ name, master }) => physical.has(name) && !(master !== undefined && physical.has(master)))
        .map((networkInterface) => networkInterface.name),
    );
  }
  const isEnd = ({ name, kind, lowers }: InterfaceFacts) =>
    ['veth', 'virtual', 'macvlan', 'vlan'].includes(kind) && lowers.length === 0 && kindOfName(name) !== 'veth';
  const ends = all.filter(isEnd);
  const ways = all.filter(({ name, kind }) => kind === 'tunnel' && onlyWays.test(name));
  return new Set((ends.length === 0 && ways.length === 1 ? ways : ends).map(({ name }) => name));
}

/** Reads all interfaces; undefined if the kernel's table cannot be read. */
export async function readInterfaces(files: KernelFiles): Promise<InterfaceSnapshots | undefined> {
  const text = await files.read('/proc/net/dev');
  if (text === undefined) return undefined;
  const vlans = new Set(
    [...((await files.read('/proc/net/vlan/config')) ?? '').matchAll(/^(\S+)\s+\|\s+\d+\s+\|/gm)].map(([, name = '']) => name),
  );
  const rows = [...text.matchAll(/^\s*([^\s:|]+):\s*([\d ]+)$/gm)].flatMap(([, name = '', counters = '']) => {
    const numbers = counters.trim().split(/\s+/).map(Number);
    return numbers.length >= columnCount ? [[name, numbers] as const] : [];
  });
  const facts = await Promise.all(rows.map(([name]) => factsOf(files, name, vlans)));
  const counted = countedInterfaces(facts);
  const snapshots = await Promise.all(
    rows.map(async ([name, counters], n): Promise<[string, InterfaceSnapshot]> => {
      const folder = `/sys/class/net/${name}`;
      const [index, state, carrier, speed] = await Promise.all([
        readNumber(files, `${folder}/ifindex`),
        files.read(`${folder}/operstate`),
        readNumber(files, `${folder}/carrier`),
        readNumber(files, `${folder}/speed`),
      ]);
      const operation = state?.trim();
      // Drivers that do not tell their state, such as those of tunnels, may still have a carrier.
      const isUp = operation === 'unknown' ? carrier === 1 : operation === undefined ? undefined : operation === 'up';
      // An unknown speed is -1, or the same in 32 bits.
      const speedMbit = speed !== undefined && speed > 0 && speed < 2 ** 31 ? speed : undefined;
      return [name, { kind: facts[n]?.kind ?? 'virtual', isCounted: counted.has(name), index, counters, isUp, speedMbit }];
    }),
  );
  return Object.fromEntries(snapshots);
}

/** Interfaces that come and go with containers, or that no traffic leaves by, have no figures of their own. */
const isShown = ([name, { kind, isCounted }]: [string, InterfaceSnapshot]) =>
  isCounted || (!['loopback', 'dummy', 'veth'].includes(kind) && kindOfName(name) !== 'veth');

/** Returns the figures between two readings. An interface that was made again is left out until the next one. */
export function networkFigures(before: InterfaceSnapshots, now: InterfaceSnapshots, seconds: number): Figure[] {
  const rate = (name: string, column: keyof typeof columns): number | undefined => {
    const [earlier, later] = [before[name], now[name]];
    if (!earlier || !later || earlier.index !== later.index) return undefined;
    const count = increase(earlier.counters[columns[column]], later.counters[columns[column]]);
    return count === undefined ? undefined : count / seconds;
  };
  const counted = Object.keys(now).filter((name) => now[name]?.isCounted);
  const total = (column: 'InBytes' | 'OutBytes') => {
    const rates = counted.flatMap((name) => rate(name, column) ?? []);
    return rates.length === 0 ? undefined : rates.reduce((sum, rate) => sum + rate, 0);
  };
  return [
    ...figure('NetworkInBytesPerSecond', total('InBytes'), ranks.machine, 0),
    ...figure('NetworkOutBytesPerSecond', total('OutBytes'), ranks.machine, 0),
    ...Object.entries(now)
      .filter(isShown)
      .flatMap(([name, { isUp, speedMbit, isCounted }]) => {
        const rank = isCounted ? ranks.part : ranks.detail;
        const columnFigure = (column: keyof typeof columns, digits: number, columnRank: number) =>
          figure(`Interface${column}PerSecond ${name}`, rate(name, column), columnRank, digits);
        return [
          ...columnFigure('InBytes', 0, rank),
          ...columnFigure('OutBytes', 0, rank),
          ...figure(`InterfaceUp ${name}`, isUp === undefined ? undefined : Number(isUp), rank),
          ...(['InErrors', 'OutErrors', 'InDrops', 'OutDrops'] as const).flatMap((column) => columnFigure(column, 3, rank)),
          ...(['InPackets', 'OutPackets'] as const).flatMap((column) => columnFigure(column, 1, ranks.detail)),
          ...figure(`InterfaceSpeedMbit ${name}`, speedMbit, ranks.detail),
        ];
      }),
  ];
}
