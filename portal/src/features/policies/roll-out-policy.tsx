/** Brings the policy in the form into force ring by ring, instead of saving it for all devices at once. */
import { useState } from 'react';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { rollOutPolicy } from '@cloudfit/contract/calls.ts';
import { campaignTexts } from '@cloudfit/contract/messages/campaigns.en.ts';
import { policyRingTexts as t } from '@cloudfit/contract/messages/policy-rings.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { campaigns } from '@cloudfit/contract/resources/campaigns.ts';
import { policies } from '@cloudfit/contract/resources/policies.ts';
import { call } from '../../api/call.ts';
import { failureText } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/overlay/floating.tsx';
import { problemOfRings, ringsBody, usualRings, type ChosenRings } from '../../entities/rings/chosen-rings.ts';
import { RingFields } from '../../entities/rings/ring-fields.tsx';
import { useScope } from '../../rows/use-scope.ts';
import { tellOfRow } from '../../hooks/tell-of-row.ts';

interface RollOutPolicyProps {
  /** Undefined while the policy is new. */
  policyId: string | undefined;
  policy: Readonly<Record<string, unknown>>;
  name: string;
  /** The number of devices that the policy is for. */
  total: number;
  onClose: () => void;
}

export function RollOutPolicy({ policyId, policy, name, total, onClose }: RollOutPolicyProps) {
  const { tenantId } = useScope();
  const navigate = useNavigate();
  const [chosen, setChosen] = useState<ChosenRings>();
  const rings = chosen ?? usualRings(total);
  const start = useMutation({
    mutationFn: () => call(rollOutPolicy, { policyId: policyId ?? null, policy, ...ringsBody(rings) }, { creates: true }),
    onSuccess: async (campaign) => {
      await Promise.all([campaigns.name, policies.name].map((entity) => queryClient.invalidateQueries({ queryKey: [entity] })));
      tellOfRow(policy, campaignTexts.started);
      onClose();
      await navigate(`/${campaign.tenantId ?? tenantId ?? ''}/campaigns/${campaign.campaignId}`, { state: { saved: true } });
    },
  });
  return (
    <Dialog
      title={t.title(name)}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{en.common.cancel}</Button>
          <Button look="primary" disabled={problemOfRings(rings) !== undefined || start.isPending} onClick={() => start.mutate()}>
            {t.start}
          </Button>
        </>
      }
    >
      <div className="rule-rings">
        <p className="muted">{t.explained}</p>
        <RingFields tenantId={tenantId ?? ''} total={total} undone={t.undone} share={t.share} rings={rings} onChange={setChosen} />
        {start.error && (
          <p className="error" role="alert">
            {failureText(start.error)}
          </p>
        )}
      </div>
    </Dialog>
  );
}
