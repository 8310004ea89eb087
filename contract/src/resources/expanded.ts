/** The type of a row including the related rows of `$expand`. */
import type { FieldName, RelationName, Resource, Row } from '../resource.ts';
import type { NamedResource } from './registry.ts';

/** One item of `$expand`: the name of a relation, optionally with options in brackets. */
export type ExpandItem<R extends Resource> = RelationName<R> | `${RelationName<R>}(${string})`;

/** A field of the resource, or of a related row, as a query refers to it. */
export type FieldPath<R extends Resource> =
  | FieldName<R>
  | {
      [Name in RelationName<R>]: R['relations'][Name]['many'] extends true ? never : `${Name}/${FieldName<Target<R, Name>>}`;
    }[RelationName<R>];

type ItemName<Item extends string> = Item extends `${infer Name}(${string}` ? Name : Item;

type ListItem<List extends string> = List extends `${infer First},${infer Rest}` ? First | ListItem<Rest> : List;

/** A related row. First option `$select`: only these fields; first option `$expand`: all fields and further related rows. */
type RelatedRow<R extends Resource, Item extends string> = Item extends `${string}($select=${infer List})`
  ? Pick<Row<R>, ListItem<List> & FieldName<R>>
  : Item extends `${string}($expand=${infer Nested})`
    ? Row<R> & RelatedRows<R, Nested>
    : Row<R>;

type Target<R extends Resource, Name extends string> = NamedResource<R['relations'][Name]['to']>;

/** The properties that `$expand` adds to a row; a related row outside the caller's scope is null. */
export type RelatedRows<R extends Resource, Item extends string> = {
  [I in Item as ItemName<I>]: R['relations'][ItemName<I>]['many'] extends true
    ? readonly RelatedRow<Target<R, ItemName<I>>, I>[]
    : RelatedRow<Target<R, ItemName<I>>, I> | null;
};

/** A row of `R`, or its selected fields, with the related rows that these items of `$expand` add. */
export type ExpandedRow<R extends Resource, Item extends ExpandItem<R> = never, Selected extends FieldName<R> = never> = ([
  Selected,
] extends [never]
  ? Row<R>
  : Pick<Row<R>, Selected>) &
  RelatedRows<R, Item>;
