/** Parameters of operations: definitions in a manifest, values in a device operation, and the check of the values. */
import { z } from 'zod/mini';
import { labelOf, parameterSource, parameterSources } from '../enums.ts';
import { plainIssue } from '../plain-issues.ts';
import { formatFault, type ValueFormat } from './value-formats.ts';

const source = z.int().check(z.refine((v) => parameterSources.some((s) => s.value === v), 'A source is a number from 1 to 4.'));

/** Names as the spec writes them on the wire (OPR-026). */
export const parameterDefinition = z.object({
  Name: z.string().check(z.minLength(1, 'A parameter needs a name.'), z.maxLength(200)),
  Description: z._default(z.string().check(z.maxLength(1_000)), ''),
  Required: z._default(z.boolean(), false),
  Source: source,
  DefaultValue: z._default(z.string().check(z.maxLength(4_000)), ''),
});
export type ParameterDefinition = z.infer<typeof parameterDefinition>;

/** One secret that a value refers to by a placeholder; the lookup key is the secret's name in the tenant (OPR-028). */
const securedEntry = z.object({
  PlaceholderKey: z
    .string({ error: 'Placeholder is required.' })
    .check(z.trim(), z.minLength(1, 'Placeholder is required.'), z.maxLength(200)),
  LookupKey: z.string({ error: 'Lookup key is required.' }).check(z.trim(), z.minLength(1, 'Lookup key is required.'), z.maxLength(200)),
});

/** `Value` is a text, or the list of entries of a secured value (OPR-022). */
export const parameterValue = z.object({
  Name: z.string().check(z.minLength(1, 'A parameter needs a name.'), z.maxLength(200)),
  Source: source,
  Value: z.union([z.array(securedEntry).check(z.maxLength(50)), z.nullable(z.string().check(z.maxLength(4_000)))], {
    error: 'A value is text, or a list of secured values.',
  }),
});
export type ParameterValue = z.infer<typeof parameterValue>;

/** The parameter with the entries of its secured value as a list; clients of the API may send the list as JSON text. */
function withEntries(item: unknown): { Value?: unknown } | null {
  const parameter = item as { Source?: unknown; Value?: unknown } | null;
  if (parameter?.Source !== parameterSource.securedValue || typeof parameter.Value !== 'string') return parameter;
  try {
    const entries: unknown = JSON.parse(parameter.Value);
    return Array.isArray(entries) ? { ...parameter, Value: entries } : parameter;
  } catch {
    return parameter;
  }
}

export const parameterValues = z.pipe(
  z.array(z.unknown()).check(z.maxLength(100)),
  z.transform((items: unknown[], ctx): ParameterValue[] => {
    // Parses each item separately, because the union in `parameterValue` would hide the problems inside an entry.
    return items.flatMap((item, index) => {
      const parameter = withEntries(item);
      const schema = Array.isArray(parameter?.Value)
        ? z.extend(parameterValue, { Value: z.array(securedEntry).check(z.maxLength(50)) })
        : parameterValue;
      const parsed = schema.safeParse(parameter ?? item, {
        error: (issue) => plainIssue({ ...issue, path: [index, ...(issue.path ?? [])] }),
      });
      if (parsed.success) return [parsed.data];
      for (const issue of parsed.error.issues)
        ctx.issues.push({ code: 'custom', message: issue.message, path: [index, ...issue.path], input: item });
      return [];
    });
  }),
);

const isEmpty = (value: ParameterValue['Value']): boolean =>
  value === null || (typeof value === 'string' ? value.trim() === '' : value.length === 0);

/** Checks values against the definitions of parameters, and against the formats that they must have; returns the problems (OPR-049..051). */
export function parameterFaults(
  definitions: readonly ParameterDefinition[],
  values: readonly ParameterValue[],
  formats: Readonly<Record<string, ValueFormat>> = {},
): string[] {
  const byName = new Map(definitions.map((d) => [d.Name, d]));
  const usedNames = new Set<string>();
  const faults = values.flatMap((value) => {
    const definition = byName.get(value.Name);
    if (!definition) return [`The operation has no parameter ${value.Name}.`];
    if (usedNames.has(value.Name)) return [`The parameter ${value.Name} is given twice.`];
    usedNames.add(value.Name);
    if (value.Source !== definition.Source) return [`The source of ${value.Name} is ${labelOf(parameterSources, definition.Source)}.`];
    if (Array.isArray(value.Value) && value.Source !== parameterSource.securedValue) return [`${value.Name} is text.`];
    const format = value.Source === parameterSource.portalEntry ? formats[value.Name] : undefined;
    return (format && typeof value.Value === 'string' && formatFault(format, value.Name, value.Value)) || [];
  });
  const missing = definitions.filter((d) => d.Required && isEmpty(values.find((v) => v.Name === d.Name)?.Value ?? null));
  return [...faults, ...missing.map((d) => `${d.Name} is required.`)];
}
