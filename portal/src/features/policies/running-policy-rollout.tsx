/** While a campaign brings a new version of a policy into force, the policy cannot be edited. */
import { Link } from 'react-router';
import { policyRingTexts as t } from '@cloudfit/contract/messages/policy-rings.en.ts';
import { and, eq } from '@cloudfit/contract/query/build.ts';
import { campaigns } from '@cloudfit/contract/resources/campaigns.ts';
import { PolicyChanges } from '../../entities/policy-plan/policy-changes.tsx';
import { useList } from '../../rows/use-rows.ts';
import { useScope } from '../../rows/use-scope.ts';

export function RunningPolicyRollout({ policyId }: { policyId: string }) {
  const { tenantId } = useScope();
  const { data } = useList(campaigns, { filter: and(eq(campaigns, 'policyId', policyId), eq(campaigns, 'ended', null)), top: 1 });
  const campaign = data?.rows[0];
  if (!campaign) return null;
  return (
    <div className="notice">
      <p>
        {(campaign.pausedOn ? t.paused : t.running)(campaign.title)}{' '}
        <Link to={`/${campaign.tenantId ?? tenantId ?? ''}/campaigns/${campaign.campaignId}`}>{t.toCampaign}</Link>
      </p>
      <PolicyChanges campaign={campaign} />
    </div>
  );
}
