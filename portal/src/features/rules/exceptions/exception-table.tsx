/** The exceptions of a rule, the one that wins first, changed in place. */
import { Link } from 'react-router';
import { severities } from '@cloudfit/contract/enums.ts';
import { ruleExceptionTexts as t } from '@cloudfit/contract/messages/rule-exceptions.en.ts';
import { eq } from '@cloudfit/contract/query/build.ts';
import { ruleExceptions } from '@cloudfit/contract/resources/rule-exceptions.ts';
import { describeCondition } from '@cloudfit/contract/rules/describe.ts';
import { byPrecedence } from '@cloudfit/contract/rules/exceptions/choose.ts';
import { constantsOf } from '@cloudfit/contract/rules/own-values.ts';
import { builtWords } from '@cloudfit/contract/rules/rule-words.ts';
import { useMay, useMayEverywhere } from '../../../api/lookups.ts';
import { Loaded } from '../../../calls/loaded.tsx';
import { IconButton } from '../../../components/button.tsx';
import { countText } from '../../../components/count.ts';
import { Select } from '../../../components/fields/select.tsx';
import { UntilCell, useExceptionChanges, ValueCell } from '../../../entities/rule-exceptions/exception-cells.tsx';
import { useList } from '../../../rows/use-rows.ts';
import { nowMs } from '../../../theme/now.ts';
import type { Rule } from '../use-rules.ts';
import { placeExpand, placeName, type PlacedException } from './place-name.ts';
import './own-values.css';

const shownAtMost = 200;

interface ExceptionRowProps {
  row: PlacedException;
  rule: Rule;
  readOnly: boolean;
}

function ExceptionRow({ row, rule, readOnly }: ExceptionRowProps) {
  const { ruleExceptionId: id, isOff, ownValues, severityId, matchLifetime, until, modifiedBy, reason } = row;
  const place = placeName(row);
  const changes = useExceptionChanges(row, place);
  const disabled = readOnly || changes.isBusy;
  const isEnded = until !== null && Date.parse(until) <= nowMs();
  const constants = constantsOf(rule.conditions);
  return (
    <tr>
      <th scope="row">
        <Link to={`/ruleexceptions?id=${id}`} title={reason}>
          {place}
        </Link>
        <div className="faint">{modifiedBy}</div>
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
                onSave={(value) => changes.setConstant(key, value)}
              />
            </td>
          ))}
          <td>
            <ValueCell
              label={`${place}: ${ruleExceptions.fields.matchLifetime.label}`}
              value={matchLifetime ?? ''}
              asForAll={rule.matchLifetime}
              disabled={disabled}
              onSave={(value) => changes.set({ matchLifetime: value === '' ? null : value })}
            />
          </td>
          <td>
            <Select
              aria-label={`${place}: ${ruleExceptions.fields.severityId.label}`}
              choices={severities.map((value) => ({ value, label: value }))}
              value={severityId ?? ''}
              none={t.asRule}
              disabled={disabled}
              onChange={(value) => changes.set({ severityId: value === '' ? null : value })}
            />
          </td>
        </>
      )}
      <td>
        <UntilCell
          label={`${place}: ${ruleExceptions.fields.until.label}`}
          until={until}
          disabled={disabled}
          onSave={(end) => changes.set({ until: end })}
        />
        {isEnded && <div className="faint">{t.ended}</div>}
      </td>
      <td>{!readOnly && <IconButton small icon="trash" label={t.removeOf(place)} onClick={() => changes.remove()} />}</td>
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
    ruleExceptions.fields.until.label,
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
