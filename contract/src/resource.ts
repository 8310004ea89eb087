/** Declares an entity once: fields, relations, permission area, verbs. Server, portal, query binder and tests read it. */
import { z } from 'zod/mini';
import { choiceText } from './messages/choices.en.ts';
import { seenLength } from './one-line.ts';
import type { Area, Permission } from './permissions.ts';
import { asLines, asOneLine } from './text-checks.ts';

/** How a value is sent, compared and stored. SQL type, input and cell follow from it. */
export type Kind = 'guid' | 'bigint' | 'int' | 'decimal' | 'text' | 'boolean' | 'timestamp' | 'time' | 'json';

/** Which control edits the field; a cell for reading follows from `kind` and `choices`. */
export type Input = 'text' | 'multiline' | 'number' | 'select' | 'switch' | 'datetime' | 'duration' | 'lookup' | 'json';

/** One choice of an enumeration: the value on the wire and the label people read. */
export interface Choice<T extends string | number = string | number> {
  value: T;
  label: string;
}

export interface Field<T = unknown> {
  /** Validates a value on the wire; null if `nullable`. Created on first use, because a page declares all and uses few. */
  schema: () => z.ZodMiniType<T>;
  kind: Kind;
  label: string;
  nullable: boolean;
  /** Required on create, and never empty. */
  required: boolean;
  /** Who sets the field: clients on create and update, clients on create only, or only the server. */
  write: 'always' | 'create' | 'never';
  input: Input;
  /** Whether the search of the grid includes the field. */
  search: boolean;
  /** Contains a person's sign-in name, which screens replace by the display name. */
  person?: true;
  /** The field contains headers of actions; readers of the field get *** in place of the credentials in these headers. */
  masked?: true;
  /** Many rows have the same values, so the field's filter offers the existing values. */
  sharedValues?: true;
  filter: boolean;
  sort: boolean;
  /** The column to sort by, when sorting the values as text would be wrong (versions). */
  sortedBy?: string;
  choices?: readonly Choice[];
  /** Name of the resource whose key the field contains. */
  ref?: string;
  /** Default value on create. */
  initial?: T;
  help?: string;
  max?: number;
}

export interface Relation<To extends string = string, Many extends boolean = boolean> {
  many: Many;
  /** Name of the target resource. */
  to: To;
  /** The field of this resource that equals the field `on` of the target. */
  from: string;
  on: string;
}

/** What a write does to a row. */
export type WriteVerb = 'create' | 'update' | 'delete';

/** The calls at `/v1/{name}`. */
export type Verb = 'list' | WriteVerb;

/**
 * Which tenants see a row. `tenant`: the field names the tenant. `tenant-or-global`: likewise, but everyone reads a row with
 * null, and people with all tenants write it. `installation`: no tenant; only permissions and `rowsFor` limit who sees a row.
 */
export type Scope<Name extends string = string> = { kind: 'tenant' | 'tenant-or-global'; field: Name } | { kind: 'installation' };

export interface Resource<
  F extends Record<string, Field> = Record<string, Field>,
  Relations extends Record<string, Relation> = Record<string, Relation>,
  Name extends string = string,
> {
  /** camelCase plural; the set's name on the wire (`/v1/{name}`, matched without case). */
  name: Name;
  /** The name of one row in texts, with capitals: `Work Unit`. */
  label: string;
  plural: string;
  /** What a row stands for, for the API description and the OData model; absent if the names say enough. */
  about?: string;
  key: string;
  /** Field that names a row to people. */
  title: string;
  area: Area;
  /** Permissions other than the area's `view` that show rows; `rowsFor` says which rows. */
  viewedWith?: readonly Permission[];
  scope: Scope;
  verbs: readonly Verb[];
  fields: F;
  relations: Relations;
  /** The default `$orderby`; the key is added at the end. */
  orderBy: string;
  /** Boolean field that marks deleted rows. Lists hide marked rows; the database keeps them. */
  softDelete?: string;
  /** How rows take part in the export and import of an installation's configuration. */
  portable?: Portability;
}

export interface Portability<Name extends string = string> {
  /** Fields that identify a row across installations, whose keys differ. */
  by: readonly Name[];
  /**
   * Resources to import before this one, because its JSON fields contain keys of their rows. Resources that fields
   * with `ref` name need no entry.
   */
  after?: readonly string[];
  /** Rows with this value do not take part. */
  except?: readonly [field: Name, value: string];
  /** Rows are imported, from other products, and not exported: most of them are history. */
  imported?: 'only';
  /** A field that no two rows of an installation share: an import sets it on a new row if it is free, and never changes it. */
  unique?: Name;
}

type FieldValue<F> = F extends Field<infer T> ? T : never;

/** A row on the wire. */
export type Row<R extends Resource> = { [K in keyof R['fields']]: FieldValue<R['fields'][K]> };

/** The fields that a create or an update sets. Undefined fields are ignored. */
export type RowInput<R extends Resource> = { [K in keyof R['fields']]?: FieldValue<R['fields'][K]> | undefined };

/** The name of a field in a declaration or a screen. */
export type FieldName<R extends Resource> = keyof R['fields'] & string;

export type RelationName<R extends Resource> = keyof R['relations'] & string;

/** A field to sort by, with an optional direction. */
export type FieldOrder<Name extends string> = Name | `${Name} ${'asc' | 'desc'}`;

/** The fields to sort a list by, the most significant first. */
export type OrderBy<Name extends string> = FieldOrder<Name> | readonly FieldOrder<Name>[];

type DeclaredRelation = Omit<Relation, 'on'> & { on?: string };

/** Declares a resource; keeps the exact types of fields and relations so that `Row<typeof x>` is precise. */
export function defineResource<
  const F extends Record<string, Field>,
  const Name extends string,
  R extends Record<string, DeclaredRelation> = Record<never, never>,
>(
  declaration: Omit<Resource, 'name' | 'fields' | 'key' | 'title' | 'scope' | 'orderBy' | 'softDelete' | 'portable' | 'relations'> & {
    name: Name;
    fields: F;
    key: keyof F & string;
    title: keyof F & string;
    scope: Scope<keyof F & string>;
    orderBy: OrderBy<keyof F & string>;
    softDelete?: keyof F & string;
    portable?: Portability<keyof F & string>;
    relations?: R;
  },
): Resource<F, { [K in keyof R]: Relation<R[K]['to'], R[K]['many']> }, Name> {
  const relations = Object.fromEntries(
    Object.entries(declaration.relations ?? {}).map(([name, r]) => [name, { ...r, on: r.on ?? r.from }]),
  ) as { [K in keyof R]: Relation<R[K]['to'], R[K]['many']> };
  return { ...declaration, orderBy: [declaration.orderBy].flat().join(','), relations };
}

/** A relation to one row: the row whose field `on` (default: `from`) equals the field `from` of this row. */
export function one<const To extends string>(to: To, from: string, on?: string) {
  return { many: false as const, to, from, ...(on ? { on } : {}) };
}

/** A relation to many rows: those whose field `on` (default: `from`) equals the field `from` of this row. */
export function many<const To extends string>(to: To, from: string, on?: string) {
  return { many: true as const, to, from, ...(on ? { on } : {}) };
}

type FieldOptions<T> = Partial<Omit<Field<T>, 'schema' | 'kind' | 'label' | 'nullable'>>;

/** Calls `make` once, on the first call, and returns its value each time. */
export function once<T>(make: () => T): () => T {
  let cached: { value: T } | undefined;
  return () => (cached ??= { value: make() }).value;
}

function build<T>(kind: Kind, input: Input, label: string, make: () => z.ZodMiniType<T>, o: FieldOptions<T> = {}): Field<T> {
  return {
    schema: once(make),
    kind,
    label,
    input,
    nullable: false,
    required: false,
    write: 'always',
    search: false,
    filter: kind !== 'json',
    sort: kind !== 'json',
    ...o,
  };
}

/** The choice with the label that people of the portal's language read. */
export const inLanguage = <T extends Choice>(choice: T): T => ({ ...choice, label: choiceText(choice.label) });

interface TextOptions extends FieldOptions<string> {
  min?: number;
  message?: string;
  pattern?: RegExp;
}

/**
 * Returns the error message of a field: `missing` for an absent value or 0, which means none; otherwise `wrong`, because
 * "Please choose …" would mislead a person who did choose.
 */
const missingOr =
  (missing: string | undefined, wrong: string) =>
  ({ input }: { input?: unknown }): string =>
    missing !== undefined && (input === undefined || input === null || input === '' || input === 0) ? missing : wrong;

function text(label: string, o: TextOptions = {}): Field<string> {
  const { min, message, pattern, ...rest } = o;
  const max = o.max ?? 200;
  const minLength = min ?? (o.required ? 1 : 0);
  const input = o.input ?? (max > 500 ? 'multiline' : 'text');
  const schema = () => {
    const checked = z
      .string({ error: missingOr(message, `${label} must be text.`) })
      .check(...(input === 'multiline' ? asLines(label) : asOneLine(label)), z.maxLength(max, `${label} is at most ${max} characters.`));
    const tooShort = message ?? (minLength > 1 ? `${label} has at least ${minLength} characters.` : `${label} is required.`);
    const filled = minLength > 0 ? checked.check(z.refine((v) => v.trim().length >= minLength && seenLength(v) > 0, tooShort)) : checked;
    return pattern ? filled.check(z.regex(pattern, message ?? `${label} is not valid.`)) : filled;
  };
  return build('text', input, label, schema, { ...rest, max });
}

const guidText = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** A GUID of any version, in lower case. */
export const guidSchema = z.pipe(
  z.string().check(z.regex(guidText, 'Please enter a valid GUID.')),
  z.transform((v: string) => v.toLowerCase()),
) satisfies z.ZodMiniType<string>;

/** hh:mm:ss, used as a duration (matchLifetime, timerInverval). */
export const durationSchema = z.string().check(z.regex(/^\d{2,4}:[0-5]\d:[0-5]\d$/, 'Please enter a duration as hh:mm:ss.'));

/** An ISO 8601 time with an offset. */
export const timestampSchema = z.iso.datetime({ offset: true, error: 'Please enter a valid date' });

/** Field builders. Each returns a plain `Field`; `optional` makes it nullable. */
export const f = {
  text,
  /** The sign-in name of a person, or the name of a token or of the system. */
  person: (label: string, o?: TextOptions): Field<string> => text(label, { ...o, max: 320, person: true }),
  /** A GUID key that the server creates. */
  key: (label = 'ID'): Field<string> => build('guid', 'text', label, () => guidSchema, { write: 'never' }),
  /** A 64-bit key that the server creates; a JSON number. */
  serial: (label = 'ID'): Field<number> => build('bigint', 'number', label, () => z.int(), { write: 'never' }),
  guid: (label: string, o?: FieldOptions<string>): Field<string> => build('guid', 'text', label, () => guidSchema, o),
  bigint: (label: string, o?: FieldOptions<number>): Field<number> => build('bigint', 'number', label, () => z.int(), o),
  int: (label: string, o: FieldOptions<number> & { min?: number; max?: number } = {}): Field<number> => {
    const { min = -2_147_483_648, max = 2_147_483_647, ...rest } = o;
    return build(
      'int',
      'number',
      label,
      () =>
        z
          .int({ error: `${label} must be a whole number.` })
          .check(z.gte(min, `${label} is at least ${min}.`), z.lte(max, `${label} is at most ${max}.`)),
      rest,
    );
  },
  decimal: (label: string, o?: FieldOptions<number>): Field<number> => build('decimal', 'number', label, () => z.number(), o),
  boolean: (label: string, o?: FieldOptions<boolean>): Field<boolean> =>
    build('boolean', 'switch', label, () => z.boolean({ error: `${label} must be true or false.` }), { initial: false, ...o }),
  timestamp: (label: string, o?: FieldOptions<string>): Field<string> => build('timestamp', 'datetime', label, () => timestampSchema, o),
  /** A duration written hh:mm:ss; stored as seconds. */
  duration: (label: string, o?: FieldOptions<string>): Field<string> => build('time', 'duration', label, () => durationSchema, o),
  json: <T>(label: string, schema: () => z.ZodMiniType<T>, o?: FieldOptions<T>): Field<T> => build('json', 'json', label, schema, o),
  /** Contains the key of a row of another resource; the server looks the row up inside the caller's scope. */
  ref: (label: string, to: string, o?: FieldOptions<string>): Field<string> =>
    build('guid', 'lookup', label, () => guidSchema, { ref: to, ...o }),
  /** Contains the key of a row of another resource whose key is a number. */
  refNumber: (label: string, to: string, o: FieldOptions<number> & { message?: string } = {}): Field<number> => {
    const { message, ...rest } = o;
    return build('bigint', 'lookup', label, () => z.int({ error: missingOr(message, `${label} must be a whole number.`) }), {
      ref: to,
      ...rest,
    });
  },
  choice: <const T extends string>(
    label: string,
    values: readonly T[],
    o: FieldOptions<NoInfer<T>> & { message?: string } = {},
  ): Field<T> => {
    const { message, ...rest } = o;
    const error = missingOr(message, `${label} is one of ${values.join(', ')}.`);
    return build<T>('text', 'select', label, () => z.literal(values, { error }), {
      ...rest,
      choices: (rest.choices ?? values.map((v) => ({ value: v, label: v }))).map(inLanguage),
    });
  },
  /** An enumeration with the numbers of the specification. */
  code: (label: string, choices: readonly Choice<number>[], o: FieldOptions<number> & { message?: string } = {}): Field<number> => {
    const { message, ...rest } = o;
    const schema = () => {
      const allowed = new Set(choices.map((c) => c.value));
      const names = choices.map((c) => (c.label === String(c.value) ? c.label : `${c.value} (${c.label})`));
      const error = missingOr(message, `${label} is one of ${names.join(', ')}.`);
      return z.int({ error }).check(z.refine((v) => allowed.has(v), { error }));
    };
    return build('int', 'select', label, schema, { ...rest, choices: choices.map(inLanguage) });
  },
};

/** Makes a field nullable: an empty value is null on the wire and in the database. */
export function optional<T>(field: Field<T>): Field<T | null> {
  return { ...field, schema: once(() => z.nullable(field.schema())), nullable: true } as Field<T | null>;
}
