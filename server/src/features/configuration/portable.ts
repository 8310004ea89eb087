/** Which resources make up the configuration, in the order in which their rows can be written. */
import type { Field, Resource } from '@cloudfit/contract/resource.ts';
import { resources } from '@cloudfit/contract/resources/registry.ts';

export type PortableResource = Resource & { portable: NonNullable<Resource['portable']> };

const isPortable = (r: Resource): r is PortableResource => r.portable !== undefined;

/** Resources that must be imported first: targets of references, and those that the declaration names. */
function needs(resource: PortableResource): string[] {
  const refs = Object.values(resource.fields).flatMap((field) => field.ref ?? []);
  return [...refs, ...(resource.portable.after ?? [])].filter((name) => name !== resource.name);
}

export function portableResources(): readonly PortableResource[] {
  const waiting = resources.filter(isPortable);
  const ordered: PortableResource[] = [];
  while (waiting.length > 0) {
    const ready = waiting.findIndex((r) => !needs(r).some((name) => waiting.some((w) => w.name === name)));
    if (ready < 0) throw new Error(`These configurations need each other: ${waiting.map((r) => r.name).join(', ')}.`);
    ordered.push(...waiting.splice(ready, 1));
  }
  return ordered;
}

/** Whether the rows are part of an exported configuration, and have versions; others come by an import only. */
export const isExported = ({ portable }: PortableResource): boolean => portable.imported !== 'only';

/** Fields that are exported besides the key: those that a client may write. */
export function portableFields(resource: Resource): [string, Field][] {
  return Object.entries(resource.fields).filter(([, field]) => field.write !== 'never');
}
