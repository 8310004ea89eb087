/** What saving a policy would change on devices, and where another policy sets the same otherwise. */
import { useState } from 'react';
import { previewPolicy } from '@cloudfit/contract/calls.ts';
import { policyTexts } from '@cloudfit/contract/messages/policies.en.ts';
import { policies } from '@cloudfit/contract/resources/policies.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { policyRingTexts } from '@cloudfit/contract/messages/policy-rings.en.ts';
import { useCall } from '../../api/call.ts';
import { useMay } from '../../api/lookups.ts';
import { Button } from '../../components/button.tsx';
import { ConflictLines, linesOf, PlanLines } from '../../entities/policy-plan/plan-lines.tsx';
import { onDemand } from '../../components/on-demand.tsx';
import { failureText } from '../../api/client.ts';
import { useDebounced } from '../../hooks/use-debounced.ts';
import type { FormValues } from '../../rows/row.ts';
import { countText } from '../../components/count.ts';

const { Component: RollOutPolicy } = onDemand(() => import('./roll-out-policy.tsx').then((module) => module.RollOutPolicy));

const t = policyTexts.preview;
const waitMs = 500;

/** The fields that the form may change, with their values. */
const sentOf = (values: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(policies.fields).flatMap(([name, { write }]) =>
      write === 'never' || !(name in values) ? [] : [[name, values[name] ?? null]],
    ),
  );

interface PolicyPreviewProps {
  values: FormValues<typeof policies>;
  row: Row<typeof policies> | undefined;
}

/** The draft as the call takes it; undefined while the form does not say for which devices and what. */
function draftOf({ values: entered, row }: PolicyPreviewProps) {
  const values = entered as Partial<Row<typeof policies>>;
  const { deviceSelectionId, tags, ruleValues, heartbeatInterval, operations = [], packages = [], forbidsOthers = false } = values;
  const isEmpty =
    !forbidsOthers && operations.length === 0 && packages.length === 0 && !tags && !ruleValues && (heartbeatInterval ?? null) === null;
  if (!deviceSelectionId || isEmpty) return undefined;
  return {
    policyId: row?.policyId ?? null,
    tenantId: values.tenantId ?? null,
    tenantGroupId: values.tenantId ? null : (values.tenantGroupId ?? null),
    enabled: values.enabled ?? true,
    deviceSelectionId,
    rank: values.rank ?? 100,
    operations,
    packages,
    tags: tags ?? null,
    ruleValues: ruleValues ?? null,
    heartbeatInterval: heartbeatInterval ?? null,
    forbidsOthers,
  };
}

export function PolicyPreview(props: PolicyPreviewProps) {
  const text = useDebounced(JSON.stringify(draftOf(props) ?? null), waitMs);
  const draft = JSON.parse(text) as NonNullable<ReturnType<typeof draftOf>> | null;
  const { data, error } = useCall(previewPolicy, draft ?? { deviceSelectionId: '' }, {
    refreshedBy: 'policies',
    enabled: draft !== null,
    meta: { live: false },
  });
  const may = useMay();
  /** While the rollout is chosen: the number of its devices. The preview may be calculated again meanwhile. */
  const [total, setTotal] = useState<number>();
  if (!draft) return null;
  return (
    <section className="policy-preview" aria-label={t.title} aria-live="polite">
      <h4>{t.title}</h4>
      {error ? (
        <p className="error">{failureText(error)}</p>
      ) : !data ? (
        <p className="faint">{t.loading}</p>
      ) : (
        <>
          <p className="muted">{t.devices(countText(data.devices), countText(data.before))}</p>
          {linesOf(data).length === 0 && <p className="faint">{t.nothing}</p>}
          <PlanLines plan={data} />
          <ConflictLines plan={data} />
          {may(policies.area, 'edit') && draft.enabled && data.devices > 0 && linesOf(data).length > 0 && (
            <Button small icon="campaigns" aria-haspopup="dialog" onClick={() => setTotal(data.devices)}>
              {policyRingTexts.open}
            </Button>
          )}
        </>
      )}
      {total !== undefined && (
        <RollOutPolicy
          policyId={props.row?.policyId}
          policy={sentOf(props.values)}
          name={(props.values as Partial<Row<typeof policies>>).name ?? ''}
          total={total}
          onClose={() => setTotal(undefined)}
        />
      )}
    </section>
  );
}
