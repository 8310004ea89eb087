import type { KernelFiles } from '../machine/kernel-files.ts';

/** Returns the files of a kernel from their texts by path. A text that begins with `-> ` is a symbolic link; `''` is a folder. */
export function kernelTables(tables: Readonly<Record<string, string>>): KernelFiles {
  const entries = Object.entries(tables);
  const isText = (text: string | undefined): text is string => text !== undefined && text !== '' && !text.startsWith('-> ');
  return {
    read: (path) => Promise.resolve(isText(tables[path]) ? tables[path] : undefined),
    list: (path) => {
      const inside = entries.flatMap(([name]) => (name.startsWith(`${path}/`) ? [name.slice(path.length + 1).split('/')[0] ?? ''] : []));
      return Promise.resolve([...new Set(inside)]);
    },
    link: (path) => Promise.resolve(tables[path]?.startsWith('-> ') ? tables[path].slice(3) : undefined),
  };
}

/** Returns the value of each figure by its name. */
export const valuesOf = (figures: readonly { name: string; value: number }[]): Record<string, number> =>
  Object.fromEntries(figures.map(({ name, value }) => [name, value]));
