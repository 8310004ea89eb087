/** The fields of a rule that a campaign changes, each with its present value, if known, and its new value. */
import { campaignRule } from '@cloudfit/contract/calls.ts';
import { ruleRingTexts as t } from '@cloudfit/contract/messages/rule-rings.en.ts';
import type { FieldName, Row } from '@cloudfit/contract/resource.ts';
import { campaigns } from '@cloudfit/contract/resources/campaigns.ts';
import { rules } from '@cloudfit/contract/resources/rules.ts';
import type { Condition } from '@cloudfit/contract/rules/schema.ts';
import { useCall } from '../../api/call.ts';
import { useMay } from '../../api/lookups.ts';
import { useRow } from '../../rows/use-rows.ts';
import { describeConditions } from './describe-rule.ts';
import { useConditionNames, type ConditionNames } from './use-condition-names.ts';
import './rule-changes.css';

type RuleFields = Readonly<Record<string, unknown>>;

const conditionFields: readonly string[] = ['conditions', 'recoveryConditions'] satisfies FieldName<typeof rules>[];
const labels: Readonly<Record<string, { label: string }>> = rules.fields;

const conditionsOf = (value: unknown) => (Array.isArray(value) ? (value as readonly Condition[]) : []);

/** The value of a field as text; undefined for values without a short text, such as the parameters of actions. */
function textOf(field: string, value: unknown, nameOf: ConditionNames): string | undefined {
  if (conditionFields.includes(field)) return describeConditions(conditionsOf(value), nameOf) || t.empty;
  if (value === null || value === undefined || value === '') return t.empty;
  if (typeof value === 'boolean') return value ? t.yes : t.no;
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

function changeText(field: string, before: RuleFields | undefined, after: unknown, nameOf: ConditionNames): string {
  const now = textOf(field, after, nameOf);
  const was = before && textOf(field, before[field], nameOf);
  if (now === undefined || now === was) return t.differ;
  return was === undefined ? now : t.change(was, now);
}

export function RuleChanges({ campaign: { campaignId, ruleId, ended, state } }: { campaign: Row<typeof campaigns> }) {
  const mayView = useMay()(rules.area, 'view');
  const { data } = useCall(
    campaignRule,
    { id: campaignId },
    {
      refreshedBy: campaigns.name,
      enabled: mayView,
      staleTime: Number.POSITIVE_INFINITY,
    },
  );
  // After the end, the stored rule may no longer be the version before.
  const isRunning = ended === null;
  const { data: rule } = useRow(rules, ruleId ?? '', { enabled: mayView && ruleId !== null && isRunning });
  const changes: RuleFields = data?.changes ?? {};
  const before: RuleFields | undefined = isRunning ? rule : undefined;
  const nameOf = useConditionNames(conditionFields.flatMap((field) => [...conditionsOf(changes[field]), ...conditionsOf(before?.[field])]));
  const fields = Object.keys(changes);
  // The campaign of a new rule changes only `enabled`, at its end.
  if (fields.length === 0 || fields.join() === 'enabled') return null;
  return (
    <>
      {state === 'Stopped' && <p className="muted">{t.notInForce}</p>}
      <dl className="rule-changes" aria-label={t.changes}>
        {fields.map((field) => (
          <div key={field}>
            <dt>{labels[field]?.label ?? field}</dt>
            <dd>{changeText(field, before, changes[field], nameOf)}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}
