/** Unknown properties of a body: a misspelled property must not be lost silently. */
import { z } from 'zod';
import type { FieldError } from './served.ts';

/** Kinds of schemas that wrap another schema, each with the property that contains the inner schema. */
const wraps: Readonly<Record<string, 'innerType' | 'in'>> = {
  optional: 'innerType',
  nullable: 'innerType',
  default: 'innerType',
  prefault: 'innerType',
  readonly: 'innerType',
  catch: 'innerType',
  pipe: 'in',
};

/** The parts of a schema that `unknownProperties` reads. */
interface SchemaParts {
  type: string;
  shape?: Readonly<Record<string, z.core.$ZodType>>;
  catchall?: z.core.$ZodType;
  element?: z.core.$ZodType;
  valueType?: z.core.$ZodType;
  innerType?: z.core.$ZodType;
  in?: z.core.$ZodType;
  /** The schemas of a union. */
  options?: readonly z.core.$ZodType[];
}

/**
 * Whether a declaration accepts properties that it does not list, such as those of whole rows; it says so as in JSON
 * Schema.
 */
const takesMore = (schema: z.core.$ZodType): boolean => z.globalRegistry.get(schema)?.['additionalProperties'] === true;

/**
 * Returns an error for each unknown property of the value. `hidden`: parameters of the path, which the messages do not
 * offer for the body.
 */
export function unknownProperties(
  schema: z.core.$ZodType,
  value: unknown,
  hidden: readonly string[] = [],
  path: readonly (string | number)[] = [],
): FieldError[] {
  if (typeof value !== 'object' || value === null) return [];
  const def = schema._zod.def as SchemaParts;
  const inner = def[wraps[def.type] ?? 'innerType'];
  if (inner) return unknownProperties(inner, value, hidden, path);
  const { shape, catchall, element, valueType, options } = def;
  const chosen = options?.find((option) => z.safeParse(option, value).success);
  if (chosen) return unknownProperties(chosen, value, hidden, path);
  if (Array.isArray(value)) return element ? value.flatMap((item, n) => unknownProperties(element, item, [], [...path, n])) : [];
  return Object.entries(value).flatMap(([name, of]) => {
    const field = shape && Object.hasOwn(shape, name) ? shape[name] : valueType;
    if (field) return unknownProperties(field, of, [], [...path, name]);
    if (!shape || catchall || takesMore(schema) || name.includes('@odata.')) return [];
    const names = Object.keys(shape).filter((key) => !hidden.includes(key));
    const there = names.length === 0 ? 'the body has no properties' : `there ${names.length === 1 ? 'is' : 'are'} ${names.join(', ')}`;
    return [{ target: [...path, name].join('.'), message: `There is no ${name} here; ${there}.` }];
  });
}
