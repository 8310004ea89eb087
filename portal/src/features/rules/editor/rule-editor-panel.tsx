/** Loads what the editor edits: a saved rule, a new rule, or an unsaved copy (RULE-022). */
import { useSearchParams } from 'react-router';
import { rules } from '@cloudfit/contract/resources/rules.ts';
import { ruleEditorTexts as t } from '@cloudfit/contract/messages/rule-editor.en.ts';
import { MissingRow } from '../../../rows/missing-row.tsx';
import { newId } from '../../../hooks/use-panel.ts';
import { useRow } from '../../../rows/use-rows.ts';
import { useScope } from '../../../rows/use-scope.ts';
import type { PanelProps } from '../../../resource/view.ts';
import { copyOf } from '../copy-rule.ts';
import { copyParam } from '../use-rule-actions.ts';
import type { Rule } from '../use-rules.ts';
import { startValues, valuesOf } from './rule-draft.ts';
import { RuleEditor } from './rule-editor.tsx';

export function RuleEditorPanel({ id, row: listed, onClose }: PanelProps<Rule>) {
  const [params] = useSearchParams();
  const isNew = id === newId;
  const original = isNew ? params.get(copyParam) : null;
  const { data, error, refetch } = useRow(rules, original ?? id, {
    expand: ['subscription', 'tenantGroup($select=name)'],
    listed,
    enabled: !isNew || original !== null,
  });
  const { tenantId, subscriptionId, isKnown } = useScope();
  if (isNew && original === null && isKnown)
    return <RuleEditor key={newId} row={undefined} start={startValues(tenantId, subscriptionId)} onClose={onClose} />;
  if (data && original !== null)
    return <RuleEditor key={original} row={undefined} start={valuesOf(copyOf(data))} copyOf={data.name} onClose={onClose} />;
  if (data && !isNew) return <RuleEditor key={id} row={data} start={valuesOf(data)} onClose={onClose} />;
  return (
    <MissingRow label={original === null ? rules.label : t.ruleToCopy} error={error} onRetry={() => void refetch()} onClose={onClose} />
  );
}
