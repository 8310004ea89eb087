import { useSearchParams } from 'react-router';
import { useMemo } from 'react';
import { exceptionPlaces } from '@cloudfit/contract/enums.ts';
import { ruleExceptionTexts as t } from '@cloudfit/contract/messages/rule-exceptions.en.ts';
import { ruleExceptions } from '@cloudfit/contract/resources/rule-exceptions.ts';
import { describeCondition } from '@cloudfit/contract/rules/describe.ts';
import { placeField } from '@cloudfit/contract/rules/exceptions/choose.ts';
import { builtWords } from '@cloudfit/contract/rules/rule-words.ts';
import { constantsOf } from '@cloudfit/contract/rules/own-values.ts';
import type { FieldName, Row } from '@cloudfit/contract/resource.ts';
import type { FormValues } from '../../../rows/row.ts';
import { ListPage } from '../../../resource/list-page.tsx';
import { defineView } from '../../../resource/view.ts';
import { RankInput } from './exception-preview.tsx';
import { OwnValuesInput } from './own-values-input.tsx';
import { placeExpand, placeName, type PlacedException } from './place-name.ts';
import { nowMs } from '../../../theme/now.ts';
import './own-values.css';

/** What is otherwise there, in words. */
function exceptionText({ isOff, ownValues, matchLifetime, severityId, until, rule }: PlacedException): string {
  const values = constantsOf(rule?.conditions ?? []).flatMap(({ key, condition }) => {
    const constant = ownValues?.[key];
    return constant === undefined ? [] : [describeCondition({ ...condition, RightOperand: constant }, builtWords)];
  });
  const isEnded = until !== null && Date.parse(until) <= nowMs();
  const changes = [...values, ...(matchLifetime ? [t.lifetime(matchLifetime)] : []), ...(severityId ? [severityId] : [])];
  return [...(isEnded ? [t.ended] : []), ...(isOff ? [t.isOff] : changes)].join(', ');
}

type FormRow = Partial<Row<typeof ruleExceptions>>;

/** The fields of other places than the chosen one, and the values of a rule that does not hold. */
function hidden(entered: FormValues<typeof ruleExceptions>): FieldName<typeof ruleExceptions>[] {
  const { appliesTo = 'Tenant', isOff }: FormRow = entered as FormRow;
  const shown = new Set<string>([placeField[appliesTo]]);
  if (appliesTo !== 'Group') shown.add('tenantId');
  if (appliesTo === 'Tag' || appliesTo === 'Name') shown.add('tenantGroupId');
  return [
    ...exceptionPlaces.map((place) => placeField[place]).filter((field) => !shown.has(field)),
    ...(isOff ? (['ownValues', 'matchLifetime', 'severityId'] as const) : []),
  ];
}

const ruleExceptionsView = defineView({
  resource: ruleExceptions,
  icon: 'rules',
  texts: {
    title: t.title,
    emptyText: t.emptyText,
    delete: t.remove,
    deleted: () => t.removed,
    deleteQuestion: (row) => t.removeQuestion(placeName(row)),
  },
  columns: [
    'ruleId',
    { id: 'for', header: t.for, width: 200, grow: true, cell: placeName, text: placeName },
    { id: 'what', header: t.what, width: 200, grow: true, cell: exceptionText, text: exceptionText },
    'reason',
    'until',
    'modifiedBy',
  ],
  expand: placeExpand,
  filters: ['ruleId', 'appliesTo', 'tenantId', 'deviceId', 'isOff'],
  form: {
    sections: [
      {
        fields: [
          'ruleId',
          'appliesTo',
          'tenantId',
          'tenantGroupId',
          'subscriptionId',
          'locationId',
          'tag',
          'entityName',
          'deviceId',
          'isOff',
          'ownValues',
          'matchLifetime',
          'severityId',
          'rank',
          'until',
          'reason',
        ],
      },
    ],
    wide: ['ownValues', 'rank', 'reason'],
    inputs: { ownValues: OwnValuesInput, rank: RankInput },
    help: { appliesTo: t.precedence },
    hides: hidden,
  },
});

/** What some of the entities have otherwise than rules: by rule and by place, by whom, until when. A new one is for what the list is narrowed to. */
export function RuleExceptionsPage() {
  const [params] = useSearchParams();
  const [ruleId, deviceId] = [params.get('f.ruleId'), params.get('f.deviceId')];
  const view = useMemo(
    () => ({
      ...ruleExceptionsView,
      // The subscription of the address says where the person works, not for what the exception is.
      start: { subscriptionId: null, ...(ruleId ? { ruleId } : {}), ...(deviceId ? { appliesTo: 'Device' as const, deviceId } : {}) },
    }),
    [ruleId, deviceId],
  );
  return <ListPage view={view} />;
}
