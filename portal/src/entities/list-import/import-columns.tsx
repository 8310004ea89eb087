/** Which column of the file is read as what, as it was recognized, to be changed. */
import { useId } from 'react';
import type { ListOutcome } from '@cloudfit/contract/configuration/import-list.ts';
import { columnsOfList, keysOfList, type ImportList, type ListColumn } from '@cloudfit/contract/configuration/lists.ts';
import { listTexts as t } from '@cloudfit/contract/messages/lists.en.ts';
import { Field } from '../../components/field.tsx';
import { Select } from '../../components/fields/select.tsx';

const ownLabels: Readonly<Record<string, string>> = t.columns;

const labelOfColumn = ({ name, field }: ListColumn): string => field?.label ?? ownLabels[name] ?? name;

/** The label of a column by its name. */
export function columnLabel(list: ImportList, name: string): string {
  const column = columnsOfList(list).find((item) => item.name === name);
  return column ? labelOfColumn(column) : name;
}

interface ImportColumnsProps {
  list: ImportList;
  outcome: ListOutcome;
  isBusy: boolean;
  onColumns: (columns: (string | null)[]) => void;
  onKey: (key: string) => void;
}

export function ImportColumns({ list, outcome: { headings, sample, columns, key, lacks }, isBusy, onColumns, onKey }: ImportColumnsProps) {
  const id = useId();
  const all = columnsOfList(list);
  const keys = keysOfList(list).filter((name) => columns.includes(name));
  const choose = (at: number, chosen: ListColumn | undefined) =>
    onColumns(
      columns.map((name, place) => {
        if (place === at) return chosen?.name ?? null;
        // A column of the list is one of the file, so the other one is no longer read.
        return name === chosen?.name && chosen?.several !== true ? null : name;
      }),
    );
  return (
    <>
      {lacks.length > 0 && (
        <p className="notice warning" role="alert">
          {t.lacks(lacks.map((name) => columnLabel(list, name)).join(', '))}
        </p>
      )}
      <table className="import-columns">
        <thead>
          <tr>
            <th scope="col">{t.heading}</th>
            <th scope="col" className="sample">
              {t.firstCells}
            </th>
            <th scope="col">{t.readAs}</th>
          </tr>
        </thead>
        <tbody>
          {headings.map((heading, at) => (
            <tr key={at} className={columns[at] === null ? 'faint' : undefined}>
              <th scope="row" id={`${id}-${at}`}>
                {heading || t.line(at + 1)}
              </th>
              <td className="sample">
                {sample
                  .flatMap((cells) => cells[at] || [])
                  .slice(0, 3)
                  .map((cell, place) => (
                    <span key={place} title={cell}>
                      {cell}
                    </span>
                  ))}
              </td>
              <td>
                <Select
                  aria-label={t.columnOf(heading)}
                  choices={all.map((column) => ({ value: column.name, label: labelOfColumn(column) }))}
                  value={columns[at] ?? ''}
                  none={t.notRead}
                  disabled={isBusy}
                  onChange={(name) =>
                    choose(
                      at,
                      all.find((column) => column.name === name),
                    )
                  }
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {keys.length > 1 && (
        <Field label={t.key} help={t.keyHelp}>
          {(aria) => (
            <Select
              {...aria}
              choices={keys.map((name) => ({ value: name, label: columnLabel(list, name) }))}
              value={key}
              disabled={isBusy}
              onChange={onKey}
            />
          )}
        </Field>
      )}
    </>
  );
}
