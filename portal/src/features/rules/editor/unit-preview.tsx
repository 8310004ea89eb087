/** The work unit that the action would open, with the last real packet. */
import { useMutation } from '@tanstack/react-query';
import type { CallInput } from '@cloudfit/contract/call.ts';
import { previewWorkUnit } from '@cloudfit/contract/calls.ts';
import { ruleEditorTexts } from '@cloudfit/contract/messages/rule-editor.en.ts';
import { call } from '../../../api/call.ts';
import { failureText } from '../../../api/client.ts';
import { useMay } from '../../../api/lookups.ts';
import { Button } from '../../../components/button.tsx';
import { SeverityChip } from '../../../components/chips.tsx';
import { RelativeTime } from '../../../components/relative-time.tsx';
import { ErrorNotice } from '../../../components/states.tsx';
import { useScope } from '../../../rows/use-scope.ts';
import { wireCondition, type ActionDraft } from './rule-draft.ts';
import type { RuleEditing } from './use-rule-editing.ts';

const t = ruleEditorTexts.actions.preview;

interface UnitPreviewProps {
  editing: RuleEditing;
  ruleId: string | undefined;
  action: ActionDraft;
}

export function UnitPreview({ editing, ruleId, action }: UnitPreviewProps) {
  const mayView = useMay()('Packets', 'view');
  const { values } = editing;
  const scope = useScope();
  const tenantId = values.tenantId ?? scope.tenantId;
  const preview = useMutation({
    mutationFn: () => {
      const { name, description, subscriptionId } = values;
      // Conditions that are still being written have no operand or operator.
      const written = values.conditions.filter(({ LeftOperand, Operator }) => LeftOperand !== null && Operator !== null);
      const conditions = written.map(wireCondition);
      const input = { ruleId, name, description, tenantId, subscriptionId, conditions, parameters: action.Parameters };
      return call(previewWorkUnit, input as CallInput<typeof previewWorkUnit>, { quiet: true });
    },
  });
  if (!mayView || tenantId === null) return null;
  const { data, error } = preview;
  return (
    <div className="unit-preview">
      <Button small icon="search" disabled={preview.isPending} onClick={() => preview.mutate()}>
        {t.show}
      </Button>
      <ErrorNotice text={error && failureText(error)} />
      {data && (
        <section aria-label={t.title} aria-live="polite">
          <p className="faint">
            {data.subject && data.at ? (
              <>
                {t.of(data.subject)} <RelativeTime plain value={data.at} />
              </>
            ) : (
              t.none
            )}
          </p>
          <p className="row">
            <SeverityChip value={data.severityId} /> <b>{data.title}</b>
          </p>
          <p className="unit-preview-text">{data.description}</p>
        </section>
      )}
    </div>
  );
}
