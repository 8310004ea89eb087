/** Dependencies are pinned by one rule: exact versions, and a lockfile that names no registry. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const read = <T>(path: string): T => JSON.parse(readFileSync(join(root, path), 'utf8')) as T;

const exact = /^\d+\.\d+\.\d+(?:-[\w.]+)?$/;
const kinds = ['dependencies', 'devDependencies', 'optionalDependencies'] as const;

type Manifest = { workspaces?: string[] } & Partial<Record<(typeof kinds)[number], Record<string, string>>>;

it('has an exact version of each dependency', () => {
  const { workspaces = [] } = read<Manifest>('package.json');
  const paths = ['package.json', ...workspaces.map((workspace) => `${workspace}/package.json`)];
  const loose = paths.flatMap((path) => {
    const manifest = read<Manifest>(path);
    return kinds.flatMap((kind) =>
      Object.entries(manifest[kind] ?? {})
        .filter(([, version]) => !exact.test(version))
        .map(([name, version]) => `${path}: ${name} ${version}`),
    );
  });
  expect(loose).toEqual([]);
  expect(paths.length).toBeGreaterThan(1);
});

it('names no registry in the lockfile', () => {
  const { packages } = read<{ packages: Record<string, { resolved?: string }> }>('package-lock.json');
  const hosts = Object.values(packages).flatMap(({ resolved }) => (resolved?.includes('://') ? [resolved] : []));
  expect(hosts).toEqual([]);
});
