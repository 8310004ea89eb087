/** The OData model of the API as CSDL JSON, from the declarations of resources and actions. */
import type { Action } from '@cloudfit/contract/action.ts';
import { takesNewRows } from '../below-row/related-writes.ts';
import { limits } from '@cloudfit/contract/limits.ts';
import type { Field, Relation, Resource } from '@cloudfit/contract/resource.ts';
import { ComplexTypes, fieldProperty, type Property } from './edm-type.ts';
import { boundFunctions, type BoundFunction } from './functions.ts';
import { containerName, namespace, qualified, typeName } from './names.ts';

export type Csdl = Record<string, unknown>;
type Annotations = Record<`@${string}`, unknown>;

const vocabularies = [
  ['Core', 'Org.OData.Core.V1'],
  ['Capabilities', 'Org.OData.Capabilities.V1'],
  ['Validation', 'Org.OData.Validation.V1'],
] as const;

interface Navigation {
  $Kind: 'NavigationProperty';
  $Type: string;
  $Collection?: true;
  $Nullable?: true;
  $ReferentialConstraint?: Record<string, string>;
}

function describedField(field: Field): Annotations {
  const values = field.choices?.map(({ value, label }) =>
    label === String(value) ? { Value: value } : { Value: value, '@Core.Description': label },
  );
  return {
    '@Core.Description': field.help ? `${field.label}: ${field.help}` : field.label,
    ...(field.write === 'never' ? { '@Core.Computed': true } : {}),
    ...(field.write === 'create' ? { '@Core.Immutable': true } : {}),
    ...(values ? { '@Validation.AllowedValues': values } : {}),
  };
}

/** A referential constraint is declared only for foreign keys: other joined rows need not exist. */
function navigation(resource: Resource, relation: Relation, target: Resource): Navigation {
  const $Type = qualified(typeName(target));
  if (relation.many) return { $Kind: 'NavigationProperty', $Type, $Collection: true };
  const isForeignKey = relation.on === target.key && relation.from !== resource.key;
  const nullable = !isForeignKey || resource.fields[relation.from]?.nullable === true;
  return {
    $Kind: 'NavigationProperty',
    $Type,
    ...(nullable ? { $Nullable: true } : {}),
    ...(isForeignKey ? { $ReferentialConstraint: { [relation.from]: relation.on } } : {}),
  };
}

function aboutOf({ about }: { about?: string | undefined }): Annotations {
  return about ? { '@Core.Description': about } : {};
}

type FindResource = (name: string) => Resource;

function entityType(resource: Resource, find: FindResource, complex: ComplexTypes): Csdl {
  const owner = typeName(resource);
  const fields = Object.entries(resource.fields).map(([name, field]): [string, Property] => [
    name,
    { ...fieldProperty(field, owner, name, complex), ...describedField(field) },
  ]);
  const relations = Object.entries(resource.relations).map(([name, r]): [string, Navigation] => [
    name,
    navigation(resource, r, find(r.to)),
  ]);
  return { $Kind: 'EntityType', $Key: [resource.key], ...aboutOf(resource), ...Object.fromEntries([...fields, ...relations]) };
}

function namesWhere(resource: Resource, no: (field: Field) => boolean): string[] {
  return Object.entries(resource.fields).flatMap(([name, field]) => (no(field) ? [name] : []));
}

function capabilities(resource: Resource, find: FindResource): Annotations {
  const may = (verb: Resource['verbs'][number]): boolean => resource.verbs.includes(verb);
  const notFiltered = namesWhere(resource, (field) => !field.filter);
  const notSorted = namesWhere(resource, (field) => !field.sort);
  const related = Object.entries(resource.relations).flatMap(([name, relation]) =>
    relation.many
      ? [
          {
            NavigationProperty: name,
            InsertRestrictions: { Insertable: takesNewRows(relation, find(relation.to)) },
          },
        ]
      : [],
  );
  return {
    '@Capabilities.InsertRestrictions': { Insertable: may('create') },
    '@Capabilities.UpdateRestrictions': { Updatable: may('update') },
    '@Capabilities.DeleteRestrictions': { Deletable: may('delete') },
    '@Capabilities.FilterRestrictions': { Filterable: true, NonFilterableProperties: notFiltered },
    '@Capabilities.SortRestrictions': { Sortable: true, NonSortableProperties: notSorted },
    '@Capabilities.ExpandRestrictions': { Expandable: true, MaxLevels: limits.expandDepth },
    '@Capabilities.SearchRestrictions': { Searchable: Object.values(resource.fields).some((field) => field.search) },
    ...(related.length > 0 ? { '@Capabilities.NavigationRestrictions': { RestrictedProperties: related } } : {}),
    '@Capabilities.CountRestrictions': { Countable: true },
    '@Capabilities.TopSupported': true,
    '@Capabilities.SkipSupported': true,
    '@Capabilities.IndexableByKey': true,
  };
}

function entitySet(resource: Resource, find: FindResource): Csdl {
  const bindings = Object.fromEntries(Object.entries(resource.relations).map(([name, r]) => [name, r.to]));
  return {
    $Collection: true,
    $Type: qualified(typeName(resource)),
    ...(Object.keys(bindings).length > 0 ? { $NavigationPropertyBinding: bindings } : {}),
    ...capabilities(resource, find),
  };
}

function functionOf({ resource, parameters, returns, about }: BoundFunction): Csdl {
  const binding = { $Name: 'bindingParameter', $Type: qualified(typeName(resource)), $Collection: true };
  return {
    $Kind: 'Function',
    $IsBound: true,
    $Parameter: [binding, ...parameters.map(([$Name, property]) => ({ $Name, ...property }))],
    $ReturnType: returns,
    ...aboutOf({ about }),
  };
}

/**
 * Returns the references to vocabularies. `extension` of their addresses: the JSON model refers to JSON vocabularies,
 * the XML model to XML ones.
 */
function references(extension: 'json' | 'xml'): Csdl {
  return Object.fromEntries(
    vocabularies.map(([$Alias, $Namespace]) => [
      `https://oasis-tcs.github.io/odata-vocabularies/vocabularies/${$Namespace}.${extension}`,
      { $Include: [{ $Namespace, $Alias }] },
    ]),
  );
}

/** Returns the whole model; throws when two declarations have the same name. */
export function csdl(resources: readonly Resource[], actions: readonly Action[], extension: 'json' | 'xml' = 'json'): Csdl {
  const complex = new ComplexTypes();
  const find: FindResource = (name) => {
    const resource = resources.find((r) => r.name === name);
    if (!resource) throw new Error(`No resource is called ${name}.`);
    return resource;
  };
  const schema: Csdl = { '@Core.DefaultNamespace': true };
  const put = (name: string, part: unknown): void => {
    if (name in schema) throw new Error(`The model has two parts with the name ${name}.`);
    schema[name] = part;
  };
  for (const resource of resources) put(typeName(resource), entityType(resource, find, complex));
  const functions = boundFunctions(resources, actions, complex);
  for (const name of new Set(functions.map((f) => f.name)))
    put(
      name,
      functions.filter((f) => f.name === name).map((f) => functionOf(f)),
    );
  for (const [name, type] of Object.entries(complex.types)) put(name, type);
  put(containerName, {
    $Kind: 'EntityContainer',
    // No term says how much a batch may hold, so people are told.
    '@Core.LongDescription': `A batch has at most ${limits.batchParts} calls. A new row is created without rows of its relations.`,
    '@Capabilities.BatchSupported': true,
    '@Capabilities.DeepInsertSupport': { Supported: false },
    '@Capabilities.KeyAsSegmentSupported': true,
    ...Object.fromEntries(resources.map((resource) => [resource.name, entitySet(resource, find)])),
  });
  return { $Version: '4.0', $EntityContainer: qualified(containerName), $Reference: references(extension), [namespace]: schema };
}
