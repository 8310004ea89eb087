/** The templates of policies name only what the built-in packages have. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { frequencyType } from '@cloudfit/contract/enums.ts';
import { parameterFaults } from '@cloudfit/contract/packages/parameters.ts';
import { formatsOfBuiltIn } from '@cloudfit/contract/packages/value-formats.ts';
import { filledValue, needFaults, policyTemplates } from '@cloudfit/contract/policies/templates.ts';
import { readdir } from 'node:fs/promises';
import { manifestOfBuiltIn } from '../../features/packages/built-in.ts';

const sources = join(import.meta.dirname, '..', '..', '..', 'packages');

it('name operations and parameters that the product has, with every value that these need', async () => {
  const folders = (await readdir(sources)).filter((name) => name !== 'shared');
  const manifests = await Promise.all(folders.map((name) => manifestOfBuiltIn(sources, name)));
  for (const template of Object.values(policyTemplates)) {
    const { operations, needs } = template;
    const examples = Object.fromEntries(Object.entries(needs).map(([name, { example }]) => [name, example]));
    expect(needFaults(template, examples)).toEqual({});
    for (const check of operations) {
      const manifest = manifests.find(({ name }) => name === check.package);
      const operation = manifest?.operations.find(({ name }) => name === check.operation);
      expect(operation, `${check.package}: ${check.operation}`).toBeDefined();
      if (!operation) continue;
      expect(operation.frequencies).toContain(frequencyType.recurring);
      const definitions = operation.parameters;
      const values = Object.entries(check.parameters ?? {}).map(([Name, Value]) => ({
        Name,
        Source: definitions.find((definition) => definition.Name === Name)?.Source ?? 0,
        Value: filledValue(Value, examples),
      }));
      expect(parameterFaults(definitions, values, formatsOfBuiltIn(check.package)), check.label).toEqual([]);
      for (const text of [check.label, ...Object.values(check.parameters ?? {})])
        for (const [, name = ''] of text.matchAll(/\{(\w+)(?::name)?\}/g)) expect(needs).toHaveProperty(name);
    }
  }
});
