/** The exceptions of a rule, the one that wins first, changed in place. */
import { useState } from 'react';
import { Link } from 'react-router';
import { severities } from '@cloudfit/contract/enums.ts';
import { ruleExceptionTexts as t } from '@cloudfit/contract/messages/rule-exceptions.en.ts';
import { eq } from '@cloudfit/contract/query/build.ts';
import type { RowInput } from '@cloudfit/contract/resource.ts';
import { ruleExceptions } from '@cloudfit/contract/resources/rule-exceptions.ts';
import { describeCondition } from '@cloudfit/contract/rules/describe.ts';
import { byPrecedence } from '@cloudfit/contract/rules/exceptions/choose.ts';
import { constantsOf, type OwnValues } from '@cloudfit/contract/rules/own-values.ts';
import { builtWords } from '@cloudfit/contract/rules/rule-words.ts';
import { useMay, useMayEverywhere } from '../../../api/lookups.ts';
import { changeRow, removeRow } from '../../../api/row-calls.ts';
import { useCommand } from '../../../calls/command.ts';
import { Loaded } from '../../../calls/loaded.tsx';
import { IconButton } from '../../../components/button.tsx';
import { countText } from '../../../components/count.ts';
import { Select } from '../../../components/fields/select.tsx';
import { useList } from '../../../rows/use-rows.ts';
import { exactTime } from '../../../theme/times.ts';
import type { Rule } from '../use-rules.ts';
import { placeExpand, placeName, type PlacedException } from './place-name.ts';
import './own-values.css';

const shownAtMost = 200;

interface ValueCellProps {
  label: string;
  /** The own value; empty as for all. */
  value: string;
  asForAll: string;
  disabled: boolean;
  onSave: (value: string) => void;
}

/** A value that is saved when the person leaves the cell, or by Enter; Escape brings back what was there. */
function ValueCell({ label, value, asForAll, disabled, onSave }: ValueCellProps) {
  const [typed, setTyped] = useState<string>();
  const save = () => {
    if (typed !== undefined && typed.trim() !== value) onSave(typed.trim());
    setTyped(undefined);
  };
  return (
    <input
      className="input"
      aria-label={label}
      title={label}
      value={typed ?? value}
      placeholder={asForAll}
      disabled={disabled}
      onChange={(event) => setTyped(event.target.value)}
      onBlur={save}
      onKeyDown={(event) => {
        if (event.key === 'Escape') {
          event.stopPropagation();
          setTyped(undefined);
        }
        if (event.key !== 'Enter') return;
        // Enter in the form of the rule would save the rule.
        event.preventDefault();
        event.stopPropagation();
        save();
      }}
    />
  );
}

interface ExceptionRowProps {
  row: PlacedException;
  rule: Rule;
  readOnly: boolean;
}

function ExceptionRow({ row, rule, readOnly }: ExceptionRowProps) {
  const { ruleExceptionId: id, isOff, ownValues, severityId, matchLifetime, until, modifiedBy, reason } = row;
  const change = useCommand((values: RowInput<typeof ruleExceptions>) => changeRow(ruleExceptions, id, values), {
    failed: t.saveFailed,
    refreshes: [ruleExceptions.name],
  });
  const drop = useCommand(() => removeRow(ruleExceptions, id), {
    confirm: () => ({ title: t.remove, text: t.removeQuestion(placeName(row)), yes: t.remove }),
    done: () => t.removed,
    about: row,
    refreshes: [ruleExceptions.name],
  });
  const disabled = readOnly || change.isBusy;
  const setConstant = (key: string, value: string) => {
    const { [key]: _before, ...others } = (ownValues ?? {}) as OwnValues;
    const next = value === '' ? others : { ...others, [key]: value };
    void change.run({ ownValues: Object.keys(next).length > 0 ? next : null });
  };
  const place = placeName(row);
  const constants = constantsOf(rule.conditions);
  return (
    <tr>
      <th scope="row">
        <Link to={`/ruleexceptions?id=${id}`} title={reason}>
          {place}
        </Link>
        <div className="faint">
          {modifiedBy}
          {until !== null && `, ${t.untilTime(exactTime(until))}`}
        </div>
      </th>
      {isOff ? (
        <td colSpan={constants.length + 2}>{t.isOff}</td>
      ) : (
        <>
          {constants.map(({ key, condition }) => (
            <td key={key}>
              <ValueCell
                label={`${place}: ${describeCondition(condition, builtWords)}`}
                value={ownValues?.[key] ?? ''}
                asForAll={condition.RightOperand ?? ''}
                disabled={disabled}
                onSave={(value) => setConstant(key, value)}
              />
            </td>
          ))}
          <td>
            <ValueCell
              label={`${place}: ${ruleExceptions.fields.matchLifetime.label}`}
              value={matchLifetime ?? ''}
              asForAll={rule.matchLifetime}
              disabled={disabled}
              onSave={(value) => void change.run({ matchLifetime: value === '' ? null : value })}
            />
          </td>
          <td>
            <Select
              aria-label={`${place}: ${ruleExceptions.fields.severityId.label}`}
              choices={severities.map((value) => ({ value, label: value }))}
              value={severityId ?? ''}
              none={t.asRule}
              disabled={disabled}
              onChange={(value) => void change.run({ severityId: value === '' ? null : value })}
            />
          </td>
        </>
      )}
      <td>{!readOnly && <IconButton small icon="trash" label={t.removeOf(place)} onClick={() => void drop.run(undefined)} />}</td>
    </tr>
  );
}

export interface ExceptionTableProps {
  rule: Rule;
}

export function ExceptionTable({ rule }: ExceptionTableProps) {
  const may = useMay();
  // What is of a group or of all tenants is changed by those with the right in all.
  const mayForAll = useMayEverywhere('Rules', 'edit');
  const query = useList(ruleExceptions, {
    filter: eq(ruleExceptions, 'ruleId', rule.ruleId),
    expand: placeExpand,
    orderBy: ['appliesTo asc', 'rank asc', 'created asc'],
    top: shownAtMost,
    count: true,
  });
  const headers = [
    ruleExceptions.fields.appliesTo.label,
    ...constantsOf(rule.conditions).map(({ condition }) => describeCondition(condition, builtWords)),
    ruleExceptions.fields.matchLifetime.label,
    ruleExceptions.fields.severityId.label,
  ];
  return (
    <div className="rule-exceptions">
      <p className="muted">{t.precedence}</p>
      <Loaded query={query}>
        {({ rows, count }) => (
          <>
            {rows.length > 0 && (
              <div className="rule-exceptions-table">
                <table>
                  <thead>
                    <tr>
                      {headers.map((header) => (
                        <th key={header} scope="col">
                          {header}
                        </th>
                      ))}
                      <td />
                    </tr>
                  </thead>
                  <tbody>
                    {rows.toSorted(byPrecedence).map((row) => (
                      <ExceptionRow
                        key={row.ruleExceptionId}
                        row={row}
                        rule={rule}
                        readOnly={row.tenantId === null ? !mayForAll : !may('Rules', 'edit')}
                      />
                    ))}
                  </tbody>
                </table>
              </div>
            )}
            {(count ?? 0) > rows.length && (
              <p>
                <Link to={`/ruleexceptions?f.ruleId=${rule.ruleId}`}>{t.all(countText(count ?? 0))}</Link>
              </p>
            )}
          </>
        )}
      </Loaded>
      {may('Rules', 'create') && (
        <p>
          <Link className="btn small" to={`/ruleexceptions?id=new&f.ruleId=${rule.ruleId}`}>
            {t.add}
          </Link>
        </p>
      )}
    </div>
  );
}
