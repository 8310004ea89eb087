/** What an import of lines would do or did: refused lines with their reasons, remarks, and the changes row by row. */
import type { ListOutcome } from '@cloudfit/contract/configuration/import-list.ts';
import type { ImportList } from '@cloudfit/contract/configuration/lists.ts';
import { configurationTexts } from '@cloudfit/contract/messages/configuration.en.ts';
import { listTexts as t } from '@cloudfit/contract/messages/lists.en.ts';
import { findResource } from '@cloudfit/contract/resources/registry.ts';
import { Button } from '../../components/button.tsx';
import { saveFile } from '../../components/save-file.ts';
import { FieldDifferences } from '../changes/field-differences.tsx';
import { columnLabel } from './import-columns.tsx';
import { ColumnHeads } from '../../components/table/column-heads.tsx';

const listed = 100;

export function RefusedLines({ list, outcome: { refused, refusedRows, refusedCsv } }: { list: ImportList; outcome: ListOutcome }) {
  if (refusedRows === 0) return null;
  return (
    <section className="notice error import-refused" aria-label={t.refused(refusedRows)}>
      <p>
        <strong>{t.refused(refusedRows)}.</strong> {t.refusedText}
      </p>
      <table>
        <ColumnHeads names={[t.lineHeading, t.columnHeading, t.reason]} />
        <tbody>
          {refused.slice(0, listed).map(({ line, column, message }, at) => (
            <tr key={at}>
              <td className="num">{line}</td>
              <td>{column === null ? '' : columnLabel(list, column)}</td>
              <td>{message}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {refused.length > listed && <p>{t.more(refused.length - listed)}</p>}
      <p>
        <Button small icon="download" onClick={() => saveFile(t.refusedFile(list), refusedCsv, 'text/csv;charset=utf-8')}>
          {t.saveRefused}
        </Button>
      </p>
    </section>
  );
}

export function Remarks({ outcome: { remarks } }: { outcome: ListOutcome }) {
  if (remarks.length === 0) return null;
  return (
    <section className="notice warning" aria-label={t.remarks}>
      <p>
        <strong>{t.remarks}</strong>
      </p>
      <ul>
        {remarks.map(({ text, rows }) => (
          <li key={text}>{t.remark(text, rows)}</li>
        ))}
      </ul>
    </section>
  );
}

const { verbs, field, before, after } = configurationTexts;

export function ListChanges({ outcome: { changes, names, added, changed } }: { outcome: ListOutcome }) {
  if (changes.length === 0) return null;
  return (
    <>
      <ul className="list-changes">
        {changes.slice(0, listed).map((change) => (
          <li key={`${change.resource} ${change.key} ${change.line}`}>
            <details>
              <summary>
                <span className="faint num">{t.line(change.line)}</span> {verbs[change.verb]} {findResource(change.resource)?.label ?? ''}:{' '}
                <strong>{change.name}</strong>
              </summary>
              <FieldDifferences
                resource={change.resource}
                fields={change.fields}
                names={names}
                isNew={change.verb === 'add'}
                texts={{ field, before, after }}
              />
            </details>
          </li>
        ))}
      </ul>
      {added + changed > listed && <p className="faint">{t.more(added + changed - listed)}</p>}
    </>
  );
}
