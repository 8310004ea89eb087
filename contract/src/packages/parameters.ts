/** What an operation takes: definitions of a package's manifest, values of a device operation, and how one fits the other. */
import { z } from 'zod';
import { labelOf, parameterSource, parameterSources } from '../enums.ts';

const source = z.int().refine((v) => parameterSources.some((s) => s.value === v), 'A source is a number from 1 to 4.');

/** Names as the spec writes them on the wire (OPR-026). */
export const parameterDefinition = z.object({
  Name: z.string().min(1, 'A parameter needs a name.').max(200),
  Description: z.string().max(1_000).default(''),
  Required: z.boolean().default(false),
  Source: source,
  DefaultValue: z.string().max(4_000).default(''),
});
export type ParameterDefinition = z.infer<typeof parameterDefinition>;

/** One secret that a package's text refers to by a placeholder; the lookup key is the secret's name in the tenant (OPR-028). */
const securedEntry = z.object({
  PlaceholderKey: z.string({ error: 'Placeholder is required.' }).trim().min(1, 'Placeholder is required.').max(200),
  LookupKey: z.string({ error: 'Lookup key is required.' }).trim().min(1, 'Lookup key is required.').max(200),
});

/** `Value` is text, and of a secured value the list of its entries (OPR-022). */
export const parameterValue = z.object({
  Name: z.string().min(1, 'A parameter needs a name.').max(200),
  Source: source,
  Value: z.union([z.array(securedEntry).max(50), z.string().max(4_000).nullable()], {
    error: 'A value is text, or a list of secured values.',
  }),
});
export type ParameterValue = z.infer<typeof parameterValue>;

export const parameterValues = z
  .array(z.unknown())
  .max(100)
  .transform((items, ctx): ParameterValue[] => {
    // Each item by itself, so that a union does not swallow what is wrong inside an entry.
    return items.flatMap((item, index) => {
      const value = (item as { Value?: unknown } | null)?.Value;
      const schema = Array.isArray(value) ? parameterValue.extend({ Value: z.array(securedEntry).max(50) }) : parameterValue;
      const parsed = schema.safeParse(item);
      if (parsed.success) return [parsed.data];
      for (const issue of parsed.error.issues) ctx.addIssue({ code: 'custom', message: issue.message, path: [index, ...issue.path] });
      return [];
    });
  });

const isEmpty = (value: ParameterValue['Value']): boolean =>
  value === null || (typeof value === 'string' ? value.trim() === '' : value.length === 0);

/** What is wrong with the values by their definitions; nothing when they fit (OPR-049..051). */
export function parameterFaults(definitions: readonly ParameterDefinition[], values: readonly ParameterValue[]): string[] {
  const byName = new Map(definitions.map((d) => [d.Name, d]));
  const seen = new Set<string>();
  const faults = values.flatMap((value) => {
    const definition = byName.get(value.Name);
    if (!definition) return [`The operation has no parameter ${value.Name}.`];
    if (seen.has(value.Name)) return [`The parameter ${value.Name} is given twice.`];
    seen.add(value.Name);
    if (value.Source !== definition.Source) return [`The source of ${value.Name} is ${labelOf(parameterSources, definition.Source)}.`];
    if (Array.isArray(value.Value) && value.Source !== parameterSource.securedValue) return [`${value.Name} is text.`];
    return [];
  });
  const missing = definitions.filter((d) => d.Required && isEmpty(values.find((v) => v.Name === d.Name)?.Value ?? null));
  return [...faults, ...missing.map((d) => `${d.Name} is required.`)];
}
