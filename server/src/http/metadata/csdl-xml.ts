/** Converts the model to CSDL XML, which clients get unless they ask for JSON. */
import type { Csdl } from './csdl.ts';

type Attributes = Record<string, string | number | boolean | undefined>;

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

function element(name: string, attributes: Attributes, children: readonly string[] = []): string {
  const pairs = Object.entries(attributes).flatMap(([key, value]) => (value === undefined ? [] : [` ${key}="${escaped(String(value))}"`]));
  const start = `<${name}${pairs.join('')}`;
  return children.length === 0 ? `${start}/>` : `${start}>${children.join('')}</${name}>`;
}

function isObject(value: unknown): value is Csdl {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function entries(part: unknown): [string, Csdl][] {
  return Object.entries(part as Csdl).filter((entry): entry is [string, Csdl] => !/^[$@]/.test(entry[0]) && isObject(entry[1]));
}

/** Matches annotations whose property names are paths in XML; in JSON they are plain text. */
const pathList = /^Non\w+Properties$/;

function simple(value: unknown): Attributes {
  if (typeof value === 'boolean') return { Bool: value };
  if (typeof value === 'number') return Number.isInteger(value) ? { Int: value } : { Float: value };
  return { String: String(value) };
}

function item(value: unknown, asPath: boolean): string {
  if (isObject(value)) return record(value);
  const [[name, text] = ['String', '']] = Object.entries(simple(value));
  const tag = asPath ? 'PropertyPath' : name;
  return `<${tag}>${escaped(String(text))}</${tag}>`;
}

function expression(name: string, attributes: Attributes, value: unknown, property = ''): string {
  if (isObject(value)) return element(name, attributes, [record(value)]);
  const plain = property === 'NavigationProperty' ? { NavigationPropertyPath: String(value) } : simple(value);
  if (!Array.isArray(value)) return element(name, { ...attributes, ...plain });
  return element(name, attributes, [
    element(
      'Collection',
      {},
      value.map((each) => item(each, pathList.test(property))),
    ),
  ]);
}

function record(value: Csdl): string {
  const values = Object.entries(value).filter(([name]) => !name.startsWith('@'));
  return element('Record', {}, [
    ...values.map(([name, inner]) => expression('PropertyValue', { Property: name }, inner, name)),
    ...annotations(value),
  ]);
}

function annotations(part: Csdl): string[] {
  return Object.entries(part).flatMap(([name, value]) =>
    name.startsWith('@') ? [expression('Annotation', { Term: name.slice(1) }, value)] : [],
  );
}

function typed({ $Type = 'Edm.String', $Collection, $Nullable, $MaxLength, $Precision, $Scale }: Csdl, defaultNullable = true): Attributes {
  const nullable = $Nullable === true;
  return {
    Type: $Collection ? `Collection(${String($Type)})` : String($Type),
    // In a collection, these facets describe the items, and there is no default.
    Nullable: nullable === defaultNullable && !($Collection && defaultNullable) ? undefined : nullable,
    MaxLength: $MaxLength as number | undefined,
    Precision: $Precision as number | undefined,
    Scale: $Scale as string | undefined,
  };
}

function property(name: string, part: Csdl): string {
  if (part['$Kind'] !== 'NavigationProperty') return element('Property', { Name: name, ...typed(part) }, annotations(part));
  const constraints = Object.entries((part['$ReferentialConstraint'] ?? {}) as Record<string, string>);
  return element(
    'NavigationProperty',
    // A collection of entities has no nullability.
    { Name: name, ...typed(part, !part['$Collection']) },
    constraints.map(([Property, ReferencedProperty]) => element('ReferentialConstraint', { Property, ReferencedProperty })),
  );
}

function structured(name: string, part: Csdl): string {
  const key = (part['$Key'] ?? []) as string[];
  return element(String(part['$Kind']), { Name: name, OpenType: part['$OpenType'] as boolean | undefined }, [
    ...(key.length > 0
      ? [
          element(
            'Key',
            {},
            key.map((Name) => element('PropertyRef', { Name })),
          ),
        ]
      : []),
    ...entries(part).map(([inner, value]) => property(inner, value)),
    ...annotations(part),
  ]);
}

function isRows({ $Type, $Collection }: Csdl, types: ReadonlySet<string>): boolean {
  return $Collection === true && types.has(String($Type));
}

function boundFunction(name: string, part: Csdl, entityTypes: ReadonlySet<string>): string {
  const returns = part['$ReturnType'] as Csdl;
  return element('Function', { Name: name, IsBound: true }, [
    ...(part['$Parameter'] as Csdl[]).map((parameter) =>
      element('Parameter', { Name: String(parameter['$Name']), ...typed(parameter, !isRows(parameter, entityTypes)) }),
    ),
    element('ReturnType', typed(returns, !isRows(returns, entityTypes))),
    ...annotations(part),
  ]);
}

function container(name: string, part: Csdl): string {
  const sets = entries(part).map(([set, value]) =>
    element('EntitySet', { Name: set, EntityType: String(value['$Type']) }, [
      ...Object.entries((value['$NavigationPropertyBinding'] ?? {}) as Record<string, string>).map(([Path, Target]) =>
        element('NavigationPropertyBinding', { Path, Target }),
      ),
      ...annotations(value),
    ]),
  );
  return element('EntityContainer', { Name: name }, [...sets, ...annotations(part)]);
}

function schemaParts(schema: Csdl, namespace: string): string[] {
  const entityTypes = new Set(entries(schema).flatMap(([name, part]) => (part['$Kind'] === 'EntityType' ? [`${namespace}.${name}`] : [])));
  return Object.entries(schema).flatMap(([name, part]) => {
    if (Array.isArray(part)) return (part as Csdl[]).map((item) => boundFunction(name, item, entityTypes));
    if (!isObject(part)) return [];
    return part['$Kind'] === 'EntityContainer' ? [container(name, part)] : [structured(name, part)];
  });
}

/** Returns the model as XML; `model` is the result of `csdl`. */
export function csdlXml(model: Csdl): string {
  const references = Object.entries(model['$Reference'] as Record<string, { $Include: { $Namespace: string; $Alias: string }[] }>).map(
    ([Uri, { $Include }]) =>
      element(
        'edmx:Reference',
        { Uri },
        $Include.map(({ $Namespace, $Alias }) => element('edmx:Include', { Namespace: $Namespace, Alias: $Alias })),
      ),
  );
  const schemas = entries(model).map(([namespace, schema]) =>
    element('Schema', { xmlns: 'http://docs.oasis-open.org/odata/ns/edm', Namespace: namespace }, [
      ...schemaParts(schema, namespace),
      ...annotations(schema),
    ]),
  );
  const services = element('edmx:DataServices', {}, schemas);
  return `<?xml version="1.0" encoding="utf-8"?>\n${element(
    'edmx:Edmx',
    { 'xmlns:edmx': 'http://docs.oasis-open.org/odata/ns/edmx', Version: String(model['$Version']) },
    [...references, services],
  )}\n`;
}
