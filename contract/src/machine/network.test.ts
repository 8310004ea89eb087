import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { kernelTables, valuesOf } from '../testing/kernel-tables.ts';
import { networkFigures, readInterfaces, type InterfaceSnapshots } from './network.ts';

const head = `Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
`;
/** Received and sent bytes of each interface; a packet has 100 bytes. */
type Traffic = Record<string, readonly [received: number, sent: number]>;
const device = (traffic: Traffic) =>
  head +
  Object.entries(traffic)
    .map(([name, [received, sent]]) => `${name.padStart(6)}: ${received} ${received / 100} 0 0 0 0 0 0 ${sent} ${sent / 100} 0 0 0 0 0 0\n`)
    .join('');

/** The files in /sys of an interface. */
function sys(name: string, index: number, files: Record<string, string> = {}): Record<string, string> {
  const usual = {
    ifindex: `${index}\n`,
    iflink: `${index}\n`,
    type: '1\n',
    uevent: `INTERFACE=${name}\nIFINDEX=${index}\n`,
    operstate: 'up\n',
  };
  return Object.fromEntries(Object.entries({ ...usual, ...files }).map(([file, text]) => [`/sys/class/net/${name}/${file}`, text]));
}
const card = { device: '-> ../../../0000:00:03.0' };
const kindOf = (type: string, name: string) => ({ uevent: `DEVTYPE=${type}\nINTERFACE=${name}\n` });

async function snapshots(traffic: Traffic, tables: Record<string, string>): Promise<InterfaceSnapshots> {
  return (await readInterfaces(kernelTables({ '/proc/net/dev': device(traffic), ...tables }))) ?? {};
}

async function totalsOf(tables: Record<string, string>, names: readonly string[]): Promise<readonly string[]> {
  const all = await snapshots(Object.fromEntries(names.map((name) => [name, [0, 0]])), tables);
  return Object.keys(all).filter((name) => all[name]?.isCounted);
}

const dockerHost = {
  ...sys('lo', 1, { type: '772\n', operstate: 'unknown\n' }),
  ...sys('eno1', 2, { ...card, master: '-> ../bond0', upper_bond0: '-> ../bond0', speed: '10000\n' }),
  ...sys('eno2', 3, { ...card, master: '-> ../bond0', upper_bond0: '-> ../bond0', operstate: 'down\n', speed: '-1\n' }),
  ...sys('bond0', 4, { 'bonding/mode': '802.3ad 4\n', lower_eno1: '-> ../eno1', lower_eno2: '-> ../eno2' }),
  ...sys('bond0.20', 5, { ...kindOf('vlan', 'bond0.20'), iflink: '4\n', lower_bond0: '-> ../bond0' }),
  ...sys('br20', 6, { ...kindOf('bridge', 'br20'), 'bridge/stp_state': '0\n', 'lower_bond0.20': '-> ../bond0.20' }),
  ...sys('docker0', 7, { ...kindOf('bridge', 'docker0'), 'bridge/stp_state': '0\n', lower_veth1a2b: '-> ../veth1a2b', operstate: 'up\n' }),
  ...sys('veth1a2b', 9, { iflink: '8\n', master: '-> ../docker0' }),
  ...sys('tun0', 10, { type: '65534\n', tun_flags: '0x1001\n', operstate: 'unknown\n', carrier: '1\n' }),
  ...sys('wg0', 11, { ...kindOf('wireguard', 'wg0'), type: '65534\n', operstate: 'unknown\n' }),
  ...sys('macvlan0', 12, { ...kindOf('macvlan', 'macvlan0'), iflink: '2\n', lower_eno1: '-> ../eno1' }),
  ...sys('dummy0', 13),
};

describe('network traffic', () => {
  it('that passes a bond, a VLAN, a bridge and a container is counted once', async () => {
    const names = ['lo', 'eno1', 'eno2', 'bond0', 'bond0.20', 'br20', 'docker0', 'veth1a2b', 'tun0', 'wg0', 'macvlan0', 'dummy0'];
    expect(await totalsOf(dockerHost, names)).toEqual(['eno1', 'eno2']);
    const traffic = (bytes: number): Traffic => Object.fromEntries(names.map((name) => [name, [bytes, 2 * bytes]]));
    const [before, now] = [await snapshots(traffic(1_000), dockerHost), await snapshots(traffic(6_000), dockerHost)];
    const figures = valuesOf(networkFigures(before, now, 10));
    expect(figures).toMatchObject({
      NetworkInBytesPerSecond: 1_000,
      NetworkOutBytesPerSecond: 2_000,
      'InterfaceInBytesPerSecond eno1': 500,
      'InterfaceInPacketsPerSecond eno1': 5,
      'InterfaceInErrorsPerSecond eno1': 0,
      'InterfaceUp eno1': 1,
      'InterfaceUp eno2': 0,
      'InterfaceSpeedMbit eno1': 10_000,
      'InterfaceOutBytesPerSecond bond0.20': 1_000,
      'InterfaceUp tun0': 1,
    });
    // What is not known or comes and goes has no figures.
    expect(Object.keys(figures).filter((name) => /InterfaceSpeedMbit eno2|veth| lo$|dummy/.test(name))).toEqual([]);
  });

  it('is that of the cards on machines of other kinds', async () => {
    // Azure: the card of the hypervisor, and the function that accelerates it.
    const azure = {
      ...sys('eth0', 2, { ...card, lower_enP1: '-> ../enP1' }),
      ...sys('enP1', 3, { ...card, master: '-> ../eth0', upper_eth0: '-> ../eth0' }),
    };
    expect(await totalsOf(azure, ['eth0', 'enP1'])).toEqual(['eth0']);
    // A router on ARM, whose switch has ports behind one card.
    const router = {
      ...sys('eth0', 2, { ...card, upper_lan1: '-> ../lan1' }),
      ...sys('lan1', 3, { ...card, ...kindOf('dsa', 'lan1'), lower_eth0: '-> ../eth0' }),
      ...sys('wlan0', 4, { ...card, ...kindOf('wlan', 'wlan0') }),
      ...sys('br-lan', 5, { ...kindOf('bridge', 'br-lan'), lower_lan1: '-> ../lan1' }),
    };
    expect(await totalsOf(router, ['eth0', 'lan1', 'wlan0', 'br-lan'])).toEqual(['eth0', 'wlan0']);
  });

  it('that passes a modem, a guest of Xen or a part of a card is counted once', async () => {
    const laptop = {
      ...sys('wlan0', 2, { ...card, ...kindOf('wlan', 'wlan0') }),
      ...sys('wwan0', 3, { ...card, ...kindOf('wwan', 'wwan0'), type: '65534\n' }),
      ...sys('tun0', 4, { type: '65534\n', tun_flags: '0x1001\n' }),
      ...sys('ppp0', 5, { ...kindOf('ppp', 'ppp0'), type: '512\n' }),
    };
    expect(await totalsOf(laptop, ['wlan0', 'wwan0', 'tun0', 'ppp0'])).toEqual(['wlan0', 'wwan0']);
    const xen = {
      ...sys('eth0', 2, { ...card, master: '-> ../xenbr0' }),
      ...sys('vif1.0', 3, { device: '-> ../../vif-1-0', master: '-> ../xenbr0' }),
      ...sys('xenbr0', 4, { ...kindOf('bridge', 'xenbr0'), 'bridge/stp_state': '0\n', lower_eth0: '-> ../eth0' }),
    };
    expect(await totalsOf(xen, ['eth0', 'vif1.0', 'xenbr0'])).toEqual(['eth0']);
    const infiniband = { ...sys('ib0', 2, { ...card, type: '32\n' }), ...sys('ib0.8001', 3, { ...card, type: '32\n', iflink: '2\n' }) };
    expect(await totalsOf(infiniband, ['ib0', 'ib0.8001'])).toEqual(['ib0']);
  });

  it('is that of a tunnel where there is nothing else', async () => {
    const loopback = sys('lo', 1, { type: '772\n' });
    const rootless = { ...loopback, ...sys('tap0', 2, { tun_flags: '0x1002\n' }), ...sys('tunl0', 3, { type: '768\n' }) };
    expect(await totalsOf(rootless, ['lo', 'tap0', 'tunl0'])).toEqual(['tap0']);
    const modem = { ...loopback, ...sys('ppp0', 2, { ...kindOf('ppp', 'ppp0'), type: '512\n' }) };
    expect(await totalsOf(modem, ['lo', 'ppp0'])).toEqual(['ppp0']);
    // One of two may lead through the other.
    const nested = { ...modem, ...sys('tun0', 3, { type: '65534\n', tun_flags: '0x1001\n' }) };
    expect(await totalsOf(nested, ['lo', 'ppp0', 'tun0'])).toEqual([]);
  });

  it('of a container is that of its end of a pair, also without /sys', async () => {
    const inside = {
      ...sys('lo', 1, { type: '772\n' }),
      ...sys('eth0', 2, { iflink: '77\n' }),
      ...sys('docker0', 3, { ...kindOf('bridge', 'docker0'), 'bridge/stp_state': '0\n' }),
      ...sys('vethab', 4, { iflink: '5\n', master: '-> ../docker0' }),
    };
    expect(await totalsOf(inside, ['lo', 'eth0', 'docker0', 'vethab'])).toEqual(['eth0']);
    const vlans = {
      '/proc/net/vlan/config': 'VLAN Dev name    | VLAN ID\nName-Type: VLAN_NAME_TYPE_RAW_PLUS_VID_NO_PAD\noffice         | 100  | eth0\n',
    };
    expect(await totalsOf(vlans, ['lo', 'eth0', 'office', 'eth0.7', 'br-1a2b', 'vethab', 'bond0'])).toEqual(['eth0']);
  });

  it('counts errors and losses for each direction, and goes on when a counter starts again', async () => {
    const table = (received: number, errors: number, drops: number) => ({
      '/proc/net/dev': `${head}  eth0:${received} 1 ${errors} ${drops} 0 0 0 0 7 1 0 ${drops} 0 0 0 0\n`,
      ...sys('eth0', 2, card),
    });
    const read = async (received: number, errors: number, drops: number) =>
      (await readInterfaces(kernelTables(table(received, errors, drops)))) ?? {};
    expect(valuesOf(networkFigures(await read(4_294_967_000, 5, 0), await read(704, 15, 20), 10))).toMatchObject({
      NetworkInBytesPerSecond: 100,
      'InterfaceInErrorsPerSecond eth0': 1,
      'InterfaceInDropsPerSecond eth0': 2,
      'InterfaceOutErrorsPerSecond eth0': 0,
      'InterfaceOutDropsPerSecond eth0': 2,
    });
    const reset = valuesOf(networkFigures(await read(5_000_000_000, 15, 0), await read(100, 0, 0), 10));
    expect(reset).not.toHaveProperty('NetworkInBytesPerSecond');
    expect(reset).not.toHaveProperty(['InterfaceInErrorsPerSecond eth0']);
  });

  it('of an interface that was made again begins at the next reading', async () => {
    const names: Traffic = { eth0: [1_000, 1_000] };
    const before = await snapshots(names, sys('eth0', 2, card));
    const now = await snapshots({ eth0: [9_000, 9_000] }, sys('eth0', 8, card));
    expect(Object.keys(valuesOf(networkFigures(before, now, 10)))).toEqual(['InterfaceUp eth0']);
    expect(await readInterfaces(kernelTables({}))).toBeUndefined();
  });

  it('is what the cards carry, for random stacks of interfaces', async () => {
    const layer = fc.record({ kind: fc.constantFrom('bond', 'bridge', 'vlan', 'macvlan', 'wireguard'), below: fc.nat(9) });
    const parcel = fc.record({ at: fc.nat(9), bytes: fc.integer({ min: 1, max: 90 }).map((packets) => packets * 100) });
    const stack = fc.record({
      cards: fc.integer({ min: 1, max: 3 }),
      layers: fc.array(layer, { maxLength: 6 }),
      parcels: fc.array(parcel),
    });
    await fc.assert(
      fc.asyncProperty(stack, async ({ cards, layers, parcels }) => {
        const names = [...Array(cards).keys()].map((n) => `port${n}`);
        const belowOf = new Map<string, string>();
        let tables = Object.assign({}, ...names.map((name, n) => sys(name, n + 2, card))) as Record<string, string>;
        for (const [n, { kind, below }] of layers.entries()) {
          const [name, under] = [`layer${n}`, names[below % names.length] ?? ''];
          belowOf.set(name, under);
          names.push(name);
          // A tunnel does not name the card that its packets leave by.
          const lower = kind === 'wireguard' ? {} : { [`lower_${under}`]: `-> ../${under}` };
          const type = kind === 'wireguard' ? '65534\n' : '1\n';
          tables = { ...tables, ...sys(name, n + 20, { ...kindOf(kind, name), type, ...lower }) };
          if (kind === 'bond' || kind === 'bridge') tables[`/sys/class/net/${under}/master`] = `-> ../${name}`;
        }
        // Each parcel is counted by the interface that it is given to, and by all below.
        const bytes = new Map(names.map((name) => [name, 0]));
        for (const one of parcels)
          for (let name = names[one.at % names.length]; name; name = belowOf.get(name)) bytes.set(name, (bytes.get(name) ?? 0) + one.bytes);
        const before = await snapshots(Object.fromEntries(names.map((name) => [name, [0, 0]])), tables);
        const now = await snapshots(Object.fromEntries([...bytes].map(([name, count]) => [name, [0, count]])), tables);
        const sent = parcels.reduce((sum, parcel) => sum + parcel.bytes, 0);
        expect(valuesOf(networkFigures(before, now, 1))['NetworkOutBytesPerSecond']).toBe(sent);
      }),
    );
  });
});
