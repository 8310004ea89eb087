/** The difference of a row as lines, with names in place of ids and only what changed. */
import { Fragment } from 'react';
import { differenceLines, withNames } from '@cloudfit/contract/configuration/differences.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { findResource } from '@cloudfit/contract/resources/registry.ts';
import { usePersonName } from '../../api/people-names.ts';
import { valueText } from '../../rows/cells.tsx';

export interface ChangedField {
  field: string;
  before?: unknown;
  after?: unknown;
}

interface FieldDifferencesProps {
  resource: string;
  fields: readonly ChangedField[];
  /** Names of the ids in the values. */
  names: Readonly<Record<string, string>>;
  texts: { field: string; before: string; after: string };
  /** Whether the row is new, so that nothing was before. */
  isNew?: boolean;
}

export function FieldDifferences({ resource: name, fields, names, texts, isNew = false }: FieldDifferencesProps) {
  usePersonName();
  const resource = findResource(name);
  const plain = (field: string, value: unknown): string => {
    if (value === null || value === undefined || value === '') return en.common.none;
    if (typeof value === 'string' && value.toLowerCase() in names) return withNames(value, names);
    return resource?.fields[field] ? withNames(valueText(resource, field, { [field]: value }), names) : withNames(String(value), names);
  };
  const isWhole = (value: unknown) => typeof value !== 'object' || value === null;
  return (
    <table className="field-differences">
      <thead>
        <tr>
          <th scope="col">{texts.field}</th>
          {!isNew && <th scope="col">{texts.before}</th>}
          <th scope="col">{texts.after}</th>
        </tr>
      </thead>
      <tbody>
        {fields.map(({ field, before, after }) => {
          const lines = differenceLines(before, after);
          const [only] = lines;
          const label = resource?.fields[field]?.label ?? field;
          const isSimple = lines.length <= 1 && (only?.path ?? '') === '' && isWhole(before) && isWhole(after);
          const rows = isSimple
            ? [{ path: '', before: plain(field, before), after: plain(field, after) }]
            : lines.map(({ path, ...line }) => ({
                path,
                before: line.before === undefined ? en.common.none : withNames(line.before, names),
                after: line.after === undefined ? en.common.none : withNames(line.after, names),
              }));
          return (
            <Fragment key={field}>
              {rows.map((row) => (
                <tr key={row.path}>
                  <th scope="row">
                    {label}
                    {row.path && <small>{withNames(row.path, names)}</small>}
                  </th>
                  {!isNew && (
                    <td className="before" data-label={texts.before}>
                      {row.before}
                    </td>
                  )}
                  <td className="after" data-label={texts.after}>
                    {row.after}
                  </td>
                </tr>
              ))}
            </Fragment>
          );
        })}
      </tbody>
    </table>
  );
}
