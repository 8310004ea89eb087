/** The templates of policies name only what the built-in packages have. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { frequencyType } from '@cloudfit/contract/enums.ts';
import { parameterFaults } from '@cloudfit/contract/packages/parameters.ts';
import { policyTemplates } from '@cloudfit/contract/policies/templates.ts';
import { readdir } from 'node:fs/promises';
import { manifestOfBuiltIn } from '../../features/packages/built-in.ts';

const sources = join(import.meta.dirname, '..', '..', '..', 'packages');

it('name operations and parameters that the product has, with every value that these need', async () => {
  const folders = (await readdir(sources)).filter((name) => name !== 'shared');
  const manifests = await Promise.all(folders.map((name) => manifestOfBuiltIn(sources, name)));
  for (const { operations, needs } of Object.values(policyTemplates)) {
    for (const template of operations) {
      const manifest = manifests.find(({ name }) => name === template.package);
      const operation = manifest?.operations.find(({ name }) => name === template.operation);
      expect(operation, `${template.package}: ${template.operation}`).toBeDefined();
      if (!operation) continue;
      expect(operation.frequencies).toContain(frequencyType.recurring);
      const definitions = operation.parameters;
      const values = Object.entries(template.parameters ?? {}).map(([Name, Value]) => ({
        Name,
        Source: definitions.find((definition) => definition.Name === Name)?.Source ?? 0,
        Value,
      }));
      expect(parameterFaults(definitions, values), template.label).toEqual([]);
      for (const { Value } of values)
        for (const [, name = ''] of Value.matchAll(/\{(\w+)(?::name)?\}/g)) expect(needs).toHaveProperty(name);
    }
  }
});
