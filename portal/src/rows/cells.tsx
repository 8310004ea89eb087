/** How values of each kind are displayed: in a grid, in a panel, and as text in an export. */
import type { ReactNode } from 'react';
import type { Field, FieldName, Resource, Row } from '@cloudfit/contract/resource.ts';
import { referenceTo } from '@cloudfit/contract/resources/references.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { personName } from '../api/people-names.ts';
import { Chip, CopyId } from '../components/chips.tsx';
import { RelativeTime } from '../components/relative-time.tsx';
import { exactTime } from '../theme/times.ts';
import type { TableColumn } from '../components/table/table-column.ts';
import { PersonName } from './person-name.tsx';
import { fieldValue, relationOf } from './row.ts';

const none = <span className="faint">{en.common.none}</span>;

export function choiceLabel(field: Field, value: unknown): string {
  return field.choices?.find((choice) => choice.value === value)?.label ?? String(value);
}

/** Name of the referenced row, if the list expanded it. */
export function referencedName(resource: Resource, name: string, row: object): string | undefined {
  const relation = relationOf(resource, name);
  const target = relation ? fieldValue(row, relation) : undefined;
  const to = relation ? resource.relations[relation]?.to : undefined;
  return typeof target === 'object' && target && to ? String(fieldValue(target, referenceTo(to).title)) : undefined;
}

/** A value as plain text. A component that shows names of people calls `usePersonName`, to render again when they arrive. */
export function valueText(resource: Resource, name: string, row: object): string {
  const field = resource.fields[name];
  const value = fieldValue(row, name);
  if (!field) return '';
  if (value === null || value === undefined)
    return field.ref && field.nullable && referenceTo(field.ref).scopesRows ? en.common.global : '';
  if (field.ref) return referencedName(resource, name, row) ?? String(value);
  if (field.person) return personName(String(value));
  if (field.choices) return choiceLabel(field, value);
  if (field.kind === 'boolean') return value === true ? en.common.yesValue : en.common.noValue;
  if (field.kind === 'timestamp') return exactTime(String(value));
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

export function Cell({ resource, name, row }: { resource: Resource; name: string; row: object }): ReactNode {
  const field = resource.fields[name];
  const value = fieldValue(row, name);
  if (field?.kind === 'timestamp') return <RelativeTime value={typeof value === 'string' ? value : null} />;
  if (field?.kind === 'boolean')
    return value === true ? (
      <Chip tone="ok" dot>
        {en.common.yesValue}
      </Chip>
    ) : (
      <Chip dot>{en.common.noValue}</Chip>
    );
  if (field?.kind === 'guid' && !field.ref && typeof value === 'string') return <CopyId id={value} label={field.label} />;
  if (field?.person && typeof value === 'string' && value !== '') return <PersonName userName={value} />;
  const words = valueText(resource, name, row);
  return words === '' ? none : words;
}

const widths: Partial<Record<Field['kind'], number>> = {
  guid: 200,
  bigint: 90,
  int: 100,
  decimal: 100,
  timestamp: 110,
  boolean: 90,
  time: 100,
};

const fitting = new Set<Field['kind']>(['bigint', 'int', 'decimal', 'timestamp', 'boolean', 'time']);

/** A table column, made from the declaration of its field. */
export function fieldColumn<R extends Resource>(
  resource: R,
  name: FieldName<R>,
): TableColumn<Row<R>> & { id: FieldName<R>; text: (row: Row<R>) => string } {
  const field: Field | undefined = resource.fields[name];
  if (!field) throw new Error(`${resource.name} has no field ${name}.`);
  return {
    id: name,
    header: field.label,
    width: field.ref ? 160 : (widths[field.kind] ?? 150),
    sortable: field.sort,
    ...(name === resource.title ? { grow: true, tone: 'strong' as const, width: 200 } : { below: 'sm' as const }),
    ...(['int', 'decimal'].includes(field.kind) && !field.choices ? { align: 'end' as const } : {}),
    ...(fitting.has(field.kind) && !field.choices && !field.ref ? { fits: true as const } : {}),
    cell: (row) => <Cell resource={resource} name={name} row={row} />,
    text: (row) => valueText(resource, name, row),
  };
}
