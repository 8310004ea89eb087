/** What saving a policy would change on devices, and where another policy sets the same otherwise. */
import { previewPolicy } from '@cloudfit/contract/calls.ts';
import { policyTexts } from '@cloudfit/contract/messages/policies.en.ts';
import type { policies } from '@cloudfit/contract/resources/policies.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { useCall } from '../../api/call.ts';
import { failureText } from '../../api/client.ts';
import { useDebounced } from '../../hooks/use-debounced.ts';
import type { FormValues } from '../../rows/row.ts';
import { countText } from '../../components/count.ts';

const t = policyTexts.preview;
const waitMs = 500;
const linesMax = 8;

interface PolicyPreviewProps {
  values: FormValues<typeof policies>;
  row: Row<typeof policies> | undefined;
}

/** The draft as the call takes it; undefined while the form does not say for which devices and what. */
function draftOf({ values: entered, row }: PolicyPreviewProps) {
  const values = entered as Partial<Row<typeof policies>>;
  const { deviceSelectionId, tags, ruleValues, heartbeatInterval, operations = [], packages = [] } = values;
  const isEmpty = operations.length === 0 && packages.length === 0 && !tags && !ruleValues && (heartbeatInterval ?? null) === null;
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
  if (!draft) return null;
  const lines = data
    ? [
        ...data.gains.map((item) => ({ ...item, sign: '+', verb: t.gain })),
        ...data.losses.map((item) => ({ ...item, sign: '−', verb: t.loss })),
        ...data.changes.map((item) => ({ ...item, sign: '~', verb: t.change })),
      ]
    : [];
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
          {lines.length === 0 && <p className="faint">{t.nothing}</p>}
          <ul>
            {lines.slice(0, linesMax).map(({ sign, verb, kind, key, label, devices }) => (
              <li key={`${sign} ${key}`}>
                <span aria-hidden className="policy-sign">
                  {sign}
                </span>
                <span>
                  {verb}: {policyTexts.kinds[kind]} {kind === 'Heartbeat' ? '' : label} {t.on(countText(devices))}
                </span>
              </li>
            ))}
          </ul>
          {data.conflicts.length > 0 && <h4>{t.conflicts}</h4>}
          <ul>
            {data.conflicts.slice(0, linesMax).map(({ key, kind, label, policyId, policyName, wins, devices }) => (
              <li key={`${key} ${policyId}`}>
                <span aria-hidden className="policy-sign">
                  {wins ? '✓' : '!'}
                </span>
                <span>
                  {policyTexts.kinds[kind]} {kind === 'Heartbeat' ? '' : label}:{' '}
                  {(wins ? t.wins : t.yields)(policyName, countText(devices))}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}
