import { describe, expect, it } from 'vitest';
import { kernelTables } from '../testing/kernel-tables.ts';
import { countProcesses, fitsPattern, hasEnded, maskSecrets, readProcesses, unitOf } from './processes.ts';

interface FakeProcess {
  name: string;
  args?: string;
  state?: string;
  uid?: number;
  group?: string;
}

function processTables(processes: Record<number, FakeProcess>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(processes).flatMap(([id, { name, args = '', state = 'S (sleeping)', uid = 0, group = '0::/' }]) => [
      [`/proc/${id}/status`, `Name:\t${name}\nState:\t${state}\nUid:\t${uid}\t${uid}\t${uid}\t${uid}\nVmRSS:\t    2048 kB\n`],
      [`/proc/${id}/stat`, `${id} (${name}) ${state.charAt(0)} 1 1 1 0 -1 4194560 0\n`],
      [`/proc/${id}/cmdline`, args],
      [`/proc/${id}/cgroup`, `${group}\n`],
    ]),
  );
}

const machine = {
  '/etc/passwd': 'root:x:0:0:root:/root:/bin/bash\nanna:x:1000:1000::/home/anna:/bin/sh\n',
  '/proc/self/mountinfo': '22 27 0:21 / /proc rw,relatime - proc proc rw\n',
  ...processTables({
    1: { name: 'systemd', args: '/sbin/init\0splash\0', group: '0::/init.scope' },
    2: { name: 'kthreadd' },
    40: { name: 'MainThread', args: 'node\0/opt/shop/server.js\0--port=80\0', uid: 1000, group: '0::/system.slice/shop.service' },
    41: { name: 'nginx', args: 'nginx: worker process', group: '12:cpu:/\n1:name=systemd:/system.slice/nginx.service' },
    42: { name: 'sshd', args: 'sshd: anna@pts/0' },
    43: { name: 'old) Z (x', args: '', state: 'Z (zombie)', uid: 4711 },
    44: { name: 'chrome', args: '/opt/google/chrome/chrome --type=renderer --lang=de' },
    45: { name: 'bash', args: '-bash\0', state: 'T (stopped)' },
  }),
};

describe('processes', () => {
  it('are named by their program or title, with unit and user', async () => {
    const list = await readProcesses(kernelTables(machine));
    expect(list?.processes.map(({ id, title, unit, user }) => [id, title, unit, user])).toEqual([
      [1, 'init', 'init.scope', 'root'],
      [2, 'kthreadd', undefined, 'root'],
      [40, 'node', 'shop.service', 'anna'],
      [41, 'nginx: worker process', 'nginx.service', 'root'],
      [42, 'sshd: anna@pts/0', undefined, 'root'],
      [43, 'old) Z (x', undefined, '4711'],
      [44, 'chrome', undefined, 'root'],
      [45, 'bash', undefined, 'root'],
    ]);
    expect(list?.isPartial).toBe(false);
    expect(list?.processes.filter(hasEnded).map(({ id }) => id)).toEqual([43]);
    expect(await countProcesses(kernelTables(machine))).toEqual({ processes: 8, zombies: 1 });
  });

  it('are looked for by name, command line, unit and user together', async () => {
    const { processes = [] } = (await readProcesses(kernelTables(machine))) ?? {};
    const idsOf = (pattern: object) =>
      processes
        .filter((process) => fitsPattern(process, { name: '', commandLine: '', unit: '', user: '', ...pattern }))
        .map(({ id }) => id);
    expect(idsOf({ name: 'Node' })).toEqual([40]);
    expect(idsOf({ name: 'sshd' })).toEqual([42]);
    expect(idsOf({ name: 'nginx' })).toEqual([41]);
    expect(idsOf({ name: '0' })).toEqual([]);
    expect(idsOf({ commandLine: 'shop/server.js' })).toEqual([40]);
    expect(idsOf({ unit: 'shop' })).toEqual([40]);
    expect(idsOf({ unit: 'nginx.service', user: 'root' })).toEqual([41]);
    expect(idsOf({ name: 'node', user: 'root' })).toEqual([]);
  });

  it('that the kernel hides from a user make a list partial', async () => {
    const hidden = {
      ...machine,
      '/proc/1/status': '',
      '/proc/self/mountinfo': '22 27 0:21 / /proc rw,relatime - proc proc rw,hidepid=invisible\n',
    };
    expect((await readProcesses(kernelTables(hidden)))?.isPartial).toBe(true);
    expect(await countProcesses(kernelTables(hidden))).toBeUndefined();
    expect(await readProcesses(kernelTables({}))).toBeUndefined();
  });

  it('of containers have the id of the container', () => {
    const id = 'a1b2c3d4e5f6'.repeat(6).slice(0, 64);
    expect(unitOf(`0::/system.slice/docker-${id}.scope\n`)).toBe('docker-a1b2c3d4e5f6.scope');
    expect(unitOf(`4:memory:/docker/${id}\n1:name=systemd:/docker/${id}\n`)).toBe('a1b2c3d4e5f6');
    expect(unitOf('0::/user.slice/user-1000.slice/user@1000.service/app.slice/app-firefox.scope\n')).toBe('app-firefox.scope');
    expect(unitOf('0::/\n')).toBeUndefined();
  });

  it('are told without the secrets in their command lines', () => {
    const lines = {
      'app --password=s3cret --port=1': 'app --password=*** --port=1',
      'app --api-token s3cret -v': 'app --api-token *** -v',
      'java -Ddb.password=s3cret -jar a.jar': 'java -Ddb.password=*** -jar a.jar',
      'curl https://mon:s3cret@host/x': 'curl https://mon:***@host/x',
      'curl -u mon:s3cret host': 'curl -u mon:*** host',
      'curl -H Authorization: Bearer s3cret host': 'curl -H Authorization: Bearer *** host',
      'env DB_PASS=s3cret run': 'env DB_PASS=*** run',
      '/usr/bin/mysqldump -u root -ps3cret shop': '/usr/bin/mysqldump -u root -p*** shop',
      'node server.js --port 80': 'node server.js --port 80',
    };
    expect(Object.keys(lines).map(maskSecrets)).toEqual(Object.values(lines));
  });
});
