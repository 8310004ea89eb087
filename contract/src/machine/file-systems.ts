/** File systems by `/proc/self/mountinfo`, each once, with the figures that df shows. */
import { figure, percentOf, ranks, type Figure } from './figures.ts';

export interface FileSystem {
  /** Where it is mounted, the shortest path first. More than one with bind mounts and subvolumes. */
  paths: readonly string[];
  type: string;
  /** Whether it depends on another machine or program, which may never answer. */
  isRemote: boolean;
  isReadOnly: boolean;
}

/** The numbers of `statfs`. */
export interface FileSystemSizes {
  bsize: number;
  blocks: number;
  bfree: number;
  bavail: number;
  files: number;
  ffree: number;
}

/** Types without storage of their own, and images that are full by nature. */
const pseudoTypes = new Set(
  `autofs binfmt_misc bpf cgroup cgroup2 configfs cramfs cuse debugfs devfs devpts devtmpfs efivarfs erofs fuse.gvfsd-fuse
  fuse.jetbrains-fuse fuse.kio-fuse fuse.lxcfs fuse.portal fuse.snapfuse fuse.squashfuse fuse.vmware-vmblock fusectl hugetlbfs iso9660
  mqueue nfsd nsfs none proc pstore ramfs resctrl rootfs romfs rpc_pipefs securityfs selinuxfs smackfs squashfs sysfs tracefs
  udf usbfs`.split(/\s+/),
);
/** Types that show what another file system or the memory holds; they count only where they are the place of files. */
const placesOf: Readonly<Record<string, readonly string[]>> = { overlay: ['/'], aufs: ['/'], tmpfs: ['/', '/tmp'] };
const remoteTypes =
  /^(nfs\d?|cifs|smb3|smbfs|9p|virtiofs|ceph|glusterfs|lustre|gpfs|afs|beegfs|ocfs2|gfs2|pvfs2|coda|ncpfs|fuse|fuse\..+)$/;
/** Folders in which container engines mount a layer for each container. */
const layers = /^\/var\/lib\/(docker|containers\/storage)\/./;

interface MountEntry {
  id: string;
  parent: string;
  device: string;
  path: string;
  options: string;
  type: string;
  source: string;
  superOptions: string;
}

/** The kernel writes a blank as `\040`, so that it does not end a field. */
const unescapePath = (text: string): string =>
  text.replaceAll(/\\([0-7]{3})/g, (_all, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));

/** Parses `/proc/self/mountinfo`. */
function entriesOf(mountInfo: string): MountEntry[] {
  return mountInfo.split('\n').flatMap((line) => {
    const [left = '', right = ''] = line.split(' - ');
    const [id, parent, device, , path, options] = left.split(' ');
    const [type, source = '', superOptions = ''] = right.split(' ');
    if (!id || !parent || !device || !path || !options || !type) return [];
    return [{ id, parent, device, path: unescapePath(path), options, type, source: unescapePath(source), superOptions }];
  });
}

/** Returns the mounts that a path leads to: not those below or under a later mount. */
function visibleOf(entries: readonly MountEntry[]): MountEntry[] {
  const ids = new Set(entries.map(({ id }) => id));
  const children = new Map(entries.filter(({ id, parent }) => id !== parent).map((entry) => [`${entry.parent} ${entry.path}`, entry]));
  // The parent of the root is outside of what this process sees, or the root itself.
  const root = entries.find(({ id, parent, path }) => path === '/' && (parent === id || !ids.has(parent)));
  const topAt = (path: string): MountEntry | undefined => {
    let top = root;
    const places = path.split('/').map((_part, n, parts) => parts.slice(0, n + 1).join('/') || '/');
    for (const place of new Set(places)) for (let next = top; next; next = children.get(`${next.id} ${place}`)) top = next;
    return top;
  };
  return root ? entries.filter((entry) => topAt(entry.path) === entry) : [...entries];
}

const isStorage = ({ type, path, source }: MountEntry): boolean =>
  !pseudoTypes.has(type) &&
  (placesOf[type]?.includes(path) ?? true) &&
  // Snapshots of ZFS are mounted when somebody visits them.
  !(type === 'zfs' && source.includes('@')) &&
  !(layers.test(path) && !source.startsWith('/dev/'));

const hasOption = (options: string, name: string): boolean => options.split(',').includes(name);

/** Returns each file system that stores files, once. */
export function fileSystemsOf(mountInfo: string): FileSystem[] {
  const groups = new Map<string, MountEntry[]>();
  const visible = visibleOf(entriesOf(mountInfo));
  // The way to a disk may lead over another machine.
  const remotePaths = visible.filter(({ type }) => remoteTypes.test(type)).map(({ path }) => (path === '/' ? '/' : `${path}/`));
  for (const entry of visible.filter(isStorage)) {
    // All mounts of one file system share its device number; shares may be mounted twice with one each.
    const key = remoteTypes.test(entry.type) && entry.source.includes('/') ? `${entry.type} ${entry.source}` : entry.device;
    groups.set(key, [...(groups.get(key) ?? []), entry]);
  }
  return [...groups.values()].map((group) => {
    const ordered = group.toSorted((a, b) => a.path.length - b.path.length);
    const [first] = ordered;
    return {
      paths: ordered.map(({ path }) => path),
      type: first?.type ?? '',
      isRemote: remoteTypes.test(first?.type ?? '') || ordered.some(({ path }) => remotePaths.some((remote) => path.startsWith(remote))),
      // A bind mount may be read-only while others are not.
      isReadOnly: group.every(({ options, superOptions }) => hasOption(options, 'ro') || hasOption(superOptions, 'ro')),
    };
  });
}

/** Returns the figures of a file system; none if it has no size or tells impossible numbers, as some programs behind FUSE do. */
export function diskFigures(path: string, sizes: FileSystemSizes, isReadOnly?: boolean): Figure[] {
  const { bsize, blocks, bfree, bavail, files, ffree } = sizes;
  if (!(blocks > 0) || bfree > blocks) return [];
  const used = blocks - bfree;
  const hasInodes = files > 0 && ffree <= files;
  return [
    // Blocks that are reserved for root count neither as used nor as available.
    ...figure(`Disk ${path}`, percentOf(used, used + bavail), ranks.part),
    ...figure(`DiskFreeBytes ${path}`, bavail * bsize, ranks.part),
    ...figure(`DiskInodes ${path}`, hasInodes ? percentOf(files - ffree, files) : undefined, ranks.part),
    ...figure(`DiskReadOnly ${path}`, isReadOnly === undefined ? undefined : Number(isReadOnly), ranks.part),
    ...figure(`DiskUsedBytes ${path}`, used * bsize, ranks.detail),
    ...figure(`DiskTotalBytes ${path}`, blocks * bsize, ranks.detail),
    ...figure(`DiskInodesUsed ${path}`, hasInodes ? files - ffree : undefined, ranks.detail),
    ...figure(`DiskInodesTotal ${path}`, hasInodes ? files : undefined, ranks.detail),
  ];
}

/** Parses the answer of `stat -f -c '%S %b %f %a %c %d'`. */
export function parseSizes(output: string): FileSystemSizes | undefined {
  const numbers = output.trim().split(' ').map(Number);
  const [bsize, blocks, bfree, bavail, files, ffree] = numbers;
  if (bsize === undefined || blocks === undefined || bfree === undefined || bavail === undefined) return undefined;
  return numbers.some(Number.isNaN) ? undefined : { bsize, blocks, bfree, bavail, files: files ?? 0, ffree: ffree ?? 0 };
}
