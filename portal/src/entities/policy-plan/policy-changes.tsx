/** What a campaign changes in a policy: its fields, and while it is under way what devices gain and lose. */
import { campaignPolicy } from '@cloudfit/contract/calls.ts';
import { policyRingTexts as t } from '@cloudfit/contract/messages/policy-rings.en.ts';
import { ruleRingTexts } from '@cloudfit/contract/messages/rule-rings.en.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { campaigns } from '@cloudfit/contract/resources/campaigns.ts';
import { policies } from '@cloudfit/contract/resources/policies.ts';
import { useCall } from '../../api/call.ts';
import { linesOf, PlanLines } from './plan-lines.tsx';

const labels: Readonly<Record<string, { label: string }>> = policies.fields;

export function PolicyChanges({ campaign: { campaignId, state } }: { campaign: Row<typeof campaigns> }) {
  const { data } = useCall(campaignPolicy, { id: campaignId }, { refreshedBy: campaigns.name });
  if (!data) return null;
  const fields = Object.keys(data.changes).map((name) => labels[name]?.label ?? name);
  return (
    <section aria-label={t.changes}>
      {state === 'Stopped' && <p className="muted">{ruleRingTexts.notInForce}</p>}
      <p className="muted">{fields.join(', ')}</p>
      {data.plan && linesOf(data.plan).length === 0 && <p className="faint">{t.nothing}</p>}
      {data.plan && <PlanLines plan={data.plan} />}
    </section>
  );
}
