/** Declares which rows a change touches. */
import type { RawBuilder } from '../../db/sql.ts';
import type { ImpactKind } from '@cloudfit/contract/impact/calls.ts';
import type { FieldName, FieldOrder, RelationName, Resource, Row } from '@cloudfit/contract/resource.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';

interface TouchedOf<R extends Resource> {
  kind: ImpactKind;
  narrow: RawBuilder<boolean>;
  /** The text for a row; by default its title. A method, so that rows of each resource are `TouchedRows`. */
  names?(row: Row<R>): string;
  /** A relation; the text for a row is then the title of the related row. */
  namedBy?: RelationName<R>;
  orderBy?: FieldOrder<FieldName<R>>;
  field?: string;
}

export interface TouchedRows extends TouchedOf<Resource> {
  of: Resource;
}

/** Types the touched rows by the fields and relations of their resource. */
export function touched<R extends Resource>(of: R, rows: TouchedOf<R>): TouchedRows {
  return { of, ...rows };
}

export function touchedUnits(kind: ImpactKind, narrow: RawBuilder<boolean>, field?: string): TouchedRows {
  return touched(workUnits, {
    kind,
    names: ({ publicWorkUnitId, title }) => `#${publicWorkUnitId} ${title}`,
    orderBy: 'created desc',
    narrow,
    ...(field ? { field } : {}),
  });
}
