/** While a campaign brings a new version of a rule into force, the rule cannot be edited. */
import { Link } from 'react-router';
import { ruleRingTexts as t } from '@cloudfit/contract/messages/rule-rings.en.ts';
import { and, eq } from '@cloudfit/contract/query/build.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { campaigns } from '@cloudfit/contract/resources/campaigns.ts';
import { useMay } from '../../../api/lookups.ts';
import { onDemand } from '../../../components/on-demand.tsx';
import { useList } from '../../../rows/use-rows.ts';

const { Component: RuleChanges } = onDemand(() =>
  import('../../../entities/rule-words/rule-changes.tsx').then((module) => module.RuleChanges),
);

type Campaign = Row<typeof campaigns>;

/** The running campaign of the rule; undefined if there is none or the person may not view campaigns. */
export function useRollout(ruleId: string | undefined): Campaign | undefined {
  const may = useMay();
  const { data } = useList(
    campaigns,
    { filter: and(eq(campaigns, 'ruleId', ruleId ?? ''), eq(campaigns, 'ended', null)), top: 1 },
    { enabled: ruleId !== undefined && may(campaigns.area, 'view') },
  );
  return ruleId === undefined ? undefined : data?.rows[0];
}

export function RunningRollout({ campaign }: { campaign: Campaign }) {
  const { tenantId, campaignId, title } = campaign;
  return (
    <>
      <p className="notice">
        {t.running(title)} <Link to={`/${tenantId}/campaigns/${campaignId}`}>{t.toCampaign}</Link>
      </p>
      <RuleChanges campaign={campaign} />
    </>
  );
}
