import { expect, it } from 'vitest';
import { references } from './references.ts';
import { requireResource, resources } from './registry.ts';

// Secrets are added by hand: parameters of operations name them, but no field or relation refers to them.
const targets = new Set([
  'tenantSecrets',
  ...resources.flatMap(({ fields, relations }) => [
    ...Object.values(fields).flatMap(({ ref }) => ref ?? []),
    ...Object.values(relations).flatMap(({ many, to }) => (many ? [] : [to])),
  ]),
]);

it('knows every row that another refers to, and no others', () => {
  expect(references.map(({ name }) => name).toSorted()).toEqual([...targets].toSorted());
});

it.each(references.map((reference) => [reference.name, reference] as const))('describes %s as declared', (name, item) => {
  const { area, key, title, scope, fields } = requireResource(name);
  const kinds = Object.fromEntries(
    Object.entries(fields).flatMap(([field, { kind, nullable }]) =>
      field === key || field === 'tenantId' ? [[field, { kind, nullable }]] : field === title ? [[field, { kind, nullable: false }]] : [],
    ),
  );
  expect(item).toEqual({ name, area, key, title, fields: kinds, scopesRows: scope.kind === 'tenant' && scope.field === key });
  expect(fields[title]?.sort).toBe(true);
});
