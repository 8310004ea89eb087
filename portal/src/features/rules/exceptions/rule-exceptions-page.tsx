import { ruleExceptionTexts as t } from '@cloudfit/contract/messages/rule-exceptions.en.ts';
import { ruleExceptions } from '@cloudfit/contract/resources/rule-exceptions.ts';
import type { ExpandedRow } from '@cloudfit/contract/resources/expanded.ts';
import { describeCondition } from '@cloudfit/contract/rules/describe.ts';
import { builtWords } from '@cloudfit/contract/rules/rule-words.ts';
import { constantsOf } from '@cloudfit/contract/rules/own-values.ts';
import { ListPage } from '../../../resource/list-page.tsx';
import { defineView } from '../../../resource/view.ts';
import { OwnValuesInput } from './own-values-input.tsx';
import './own-values.css';

type ExceptionRow = ExpandedRow<typeof ruleExceptions, 'tenant' | 'rule'>;

/** What is otherwise at the tenant, in words. */
function exceptionText({ isOff, ownValues, matchLifetime, until, rule }: ExceptionRow): string {
  const values = constantsOf(rule?.conditions ?? []).flatMap(({ key, condition }) => {
    const constant = ownValues?.[key];
    return constant === undefined ? [] : [describeCondition({ ...condition, RightOperand: constant }, builtWords)];
  });
  const isEnded = until !== null && Date.parse(until) <= Date.now();
  return [...(isEnded ? [t.ended] : []), ...(isOff ? [t.isOff] : [...values, ...(matchLifetime ? [t.lifetime(matchLifetime)] : [])])].join(
    ', ',
  );
}

const ruleExceptionsView = defineView({
  resource: ruleExceptions,
  icon: 'rules',
  texts: {
    title: t.title,
    emptyText: t.emptyText,
    delete: t.remove,
    deleted: () => t.removed,
    deleteQuestion: (row) => t.removeQuestion(row.tenant?.name ?? ''),
  },
  columns: [
    'ruleId',
    'tenantId',
    { id: 'what', header: t.what, width: 200, grow: true, cell: exceptionText, text: exceptionText },
    'reason',
    'until',
    'modifiedBy',
  ],
  expand: ['tenant', 'rule'],
  filters: ['ruleId', 'tenantId', 'isOff'],
  form: {
    sections: [{ fields: ['ruleId', 'tenantId', 'isOff', 'ownValues', 'matchLifetime', 'until', 'reason'] }],
    wide: ['ownValues', 'reason'],
    inputs: { ownValues: OwnValuesInput },
  },
});

/** What single tenants have otherwise than rules of several: by rule and by tenant, by whom, until when. */
export function RuleExceptionsPage() {
  return <ListPage view={ruleExceptionsView} />;
}
