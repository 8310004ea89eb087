import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { valuesOf } from '../testing/kernel-tables.ts';
import { diskFigures, fileSystemsOf, parseSizes } from './file-systems.ts';

const pathsOf = (mountInfo: string) => fileSystemsOf(mountInfo).map(({ paths, type }) => [type, ...paths]);

/** Debian with LVM, a bind mount, a share with a blank, an image and what the kernel mounts. */
const server = `22 27 0:21 / /proc rw,relatime shared:5 - proc proc rw
23 27 0:22 / /sys rw,relatime shared:6 - sysfs sysfs rw
24 27 0:6 / /dev rw,relatime shared:2 - devtmpfs udev rw,size=12334432k,nr_inodes=3083608,mode=755
25 24 0:23 / /dev/shm rw,relatime shared:3 - tmpfs tmpfs rw
27 1 254:1 / / rw,relatime shared:1 - ext4 /dev/mapper/vg-root rw,errors=remount-ro
28 27 0:25 / /run rw,nosuid,nodev shared:4 - tmpfs tmpfs rw,size=1000k
29 27 8:1 / /boot ro,relatime shared:7 - ext2 /dev/sda1 rw
30 27 254:1 /srv/www /var/www rw,relatime shared:1 - ext4 /dev/mapper/vg-root rw,errors=remount-ro
31 27 254:2 / /srv/My\\040files rw,relatime shared:8 - xfs /dev/mapper/vg-files rw
32 27 7:3 / /snap/core/1 ro,nodev shared:9 - squashfs /dev/loop3 ro
33 27 0:30 / /mnt rw,relatime shared:10 - autofs systemd-1 rw
34 33 0:51 / /mnt/nas rw,relatime shared:11 - nfs4 nas:/export rw,vers=4.2
35 33 0:51 /sub /mnt/nas-sub rw,relatime shared:12 - nfs4 nas:/export/sub rw,vers=4.2
36 33 0:52 / /mnt/share\\134x rw,relatime shared:13 - cifs //nas/our\\040share rw,vers=3.1.1
37 33 0:53 / /mnt/photos rw,relatime shared:14 - fuse.sshfs anna@nas:/photos rw
38 27 0:54 / /tmp rw,nosuid,nodev shared:15 - tmpfs tmpfs rw
39 37 0:55 / /mnt/photos/.gvfs rw - fuse.gvfsd-fuse gvfsd-fuse rw
`;

describe('file systems', () => {
  it('are listed once, without what the kernel mounts for itself', () => {
    expect(pathsOf(server)).toEqual([
      ['ext4', '/', '/var/www'],
      ['ext2', '/boot'],
      ['xfs', '/srv/My files'],
      ['nfs4', '/mnt/nas'],
      ['nfs4', '/mnt/nas-sub'],
      ['cifs', '/mnt/share\\x'],
      ['fuse.sshfs', '/mnt/photos'],
      ['tmpfs', '/tmp'],
    ]);
    expect(fileSystemsOf(server).map(({ isRemote }) => isRemote)).toEqual([false, false, false, true, true, true, true, false]);
    expect(
      fileSystemsOf(server)
        .filter(({ isReadOnly }) => isReadOnly)
        .map(({ paths }) => paths[0]),
    ).toEqual(['/boot']);
  });

  it('below a share depend on its server', () => {
    const below = `27 1 8:1 / / rw - ext4 /dev/sda1 rw
40 27 0:51 / /mnt/nas rw - nfs4 nas:/export rw
41 40 8:2 / /mnt/nas/disk rw - ext4 /dev/sdb1 rw
42 27 8:3 / /mnt/nas2 rw - ext4 /dev/sdc1 rw
`;
    expect(fileSystemsOf(below).map(({ isRemote }) => isRemote)).toEqual([false, true, true, false]);
  });

  it('of ZFS are its datasets, of btrfs one for all subvolumes', () => {
    const box = `30 1 0:26 / / rw - zfs rpool/ROOT/debian rw,xattr
31 30 0:40 / /tank/data rw - zfs tank/data rw,xattr
32 31 0:60 / /tank/data/.zfs/snapshot/mon ro - zfs tank/data@mon ro
33 30 0:41 / /var/lib/docker/zfs/graph/3f rw - zfs tank/docker/3f rw
34 30 0:44 /@home /home rw,subvol=/@home - btrfs /dev/nvme0n1p2 rw,subvolid=257,subvol=/@home
35 30 0:44 /@log /var/log rw - btrfs /dev/nvme0n1p2 rw,subvolid=258,subvol=/@log
`;
    expect(pathsOf(box)).toEqual([
      ['zfs', '/'],
      ['zfs', '/tank/data'],
      ['btrfs', '/home', '/var/log'],
    ]);
  });

  it('of a container are its root and its volumes; layers of other containers do not count', () => {
    const inside = `700 600 0:48 / / rw,relatime - overlay overlay rw,lowerdir=/l,upperdir=/u,workdir=/w
701 700 8:1 /var/lib/docker/containers/ab/hosts /etc/hosts rw - ext4 /dev/sda1 rw
702 700 8:1 /var/lib/docker/volumes/v/_data /data rw - ext4 /dev/sda1 rw
703 700 0:5 / /dev rw - tmpfs tmpfs rw
`;
    // Which path is a folder is asked when the sizes are read.
    expect(pathsOf(inside)).toEqual([
      ['overlay', '/'],
      ['ext4', '/data', '/etc/hosts'],
    ]);
    const host = `27 1 8:1 / / rw - ext4 /dev/sda1 rw
40 27 0:70 / /var/lib/docker/overlay2/ab/merged rw - overlay overlay rw,lowerdir=/l
41 27 0:71 / /var/lib/docker/containers/ab/mounts/shm rw - tmpfs shm rw
`;
    expect(pathsOf(host)).toEqual([['ext4', '/']]);
  });

  it('that another mount hides are not told under its name', () => {
    const hidden = `27 1 8:1 / / rw - ext4 /dev/sda1 rw
40 27 8:2 / /data rw - ext4 /dev/sda2 rw
41 40 8:3 / /data/old rw - ext4 /dev/sda3 rw
42 40 8:4 / /data rw - xfs /dev/sda4 rw
43 42 8:5 / /data/new rw - ext4 /dev/sda5 rw
`;
    expect(pathsOf(hidden)).toEqual([
      ['ext4', '/'],
      ['xfs', '/data'],
      ['ext4', '/data/new'],
    ]);
  });

  it('of a system that runs from its memory are seen, too', () => {
    const memory = `1 1 0:2 / / rw - rootfs rootfs rw
20 1 8:1 / / rw - ext4 /dev/sda1 rw
21 20 8:2 / /srv rw - ext4 /dev/sda2 rw
`;
    expect(pathsOf(memory)).toEqual([
      ['ext4', '/'],
      ['ext4', '/srv'],
    ]);
    expect(pathsOf('not a table\n1 2 3\n - \n')).toEqual([]);
  });

  it('agree with a slow search of the tree of mounts', () => {
    const names = ['a', 'b', 'c'];
    const path = fc.array(fc.constantFrom(...names), { maxLength: 3 }).map((parts) => `/${parts.join('/')}`);
    fc.assert(
      fc.property(fc.array(path, { minLength: 1, maxLength: 12 }), (later) => {
        // Each mount is made at what its path leads to at that moment, as the kernel does.
        const mounts: { id: number; parent: number; path: string }[] = [{ id: 1, parent: 0, path: '/' }];
        const resolve = (target: string): { id: number; path: string } => {
          let [at, walked] = [1, ''];
          const climb = (place: string) => {
            for (let next = mounts.find((mount) => mount.parent === at && mount.path === place); next;) {
              at = next.id;
              next = mounts.find((mount) => mount.parent === at && mount.path === place);
            }
          };
          climb('/');
          for (const part of target.split('/').filter(Boolean)) climb((walked = `${walked}/${part}`));
          return { id: at, path: target };
        };
        for (const [n, one] of later.entries()) mounts.push({ id: n + 2, parent: resolve(one).id, path: one });
        const table = mounts.map(({ id, parent, path: at }) => `${id} ${parent} 8:${id} / ${at} rw - ext4 /dev/sda${id} rw\n`).join('');
        const visible = mounts.filter(({ id, path: at }) => resolve(at).id === id).map(({ path: at }) => at);
        expect(fileSystemsOf(table).map(({ paths }) => paths[0])).toEqual(visible);
      }),
    );
  });

  it('are used to the percent that df shows, with blocks that are reserved for root, and inodes', () => {
    const sizes = { bsize: 4_096, blocks: 1_000, bfree: 250, bavail: 200, files: 500, ffree: 450 };
    expect(valuesOf(diskFigures('/', sizes, true))).toEqual({
      'Disk /': 78.9,
      'DiskFreeBytes /': 819_200,
      'DiskInodes /': 10,
      'DiskReadOnly /': 1,
      'DiskUsedBytes /': 3_072_000,
      'DiskTotalBytes /': 4_096_000,
      'DiskInodesUsed /': 50,
      'DiskInodesTotal /': 500,
    });
    expect(Object.keys(valuesOf(diskFigures('/', { ...sizes, files: 0, ffree: 0 }))).some((name) => name.includes('Inodes'))).toBe(false);
    expect(diskFigures('/', { ...sizes, blocks: 0 })).toEqual([]);
    expect(diskFigures('/', { ...sizes, bfree: 2_000 })).toEqual([]);
  });

  it('of another machine are read from what stat prints', () => {
    expect(parseSizes('4096 100 50 40 10 5\n')).toEqual({ bsize: 4_096, blocks: 100, bfree: 50, bavail: 40, files: 10, ffree: 5 });
    expect(parseSizes('')).toBeUndefined();
    expect(parseSizes('stat: error\n')).toBeUndefined();
  });
});
