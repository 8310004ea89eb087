/** Brings the rule in the form into force ring by ring, instead of saving it for all devices at once. */
import { useState } from 'react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import type { CallInput } from '@cloudfit/contract/call.ts';
import { startCampaign } from '@cloudfit/contract/calls.ts';
import { campaignTexts } from '@cloudfit/contract/messages/campaigns.en.ts';
import { ruleRingTexts as t } from '@cloudfit/contract/messages/rule-rings.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { and, contains, eq } from '@cloudfit/contract/query/build.ts';
import { campaignDevicesMax, campaigns } from '@cloudfit/contract/resources/campaigns.ts';
import { devices } from '@cloudfit/contract/resources/devices.ts';
import { operandOf } from '@cloudfit/contract/rules/operands.ts';
import { call } from '../../../api/call.ts';
import { failureText } from '../../../api/client.ts';
import { queryClient } from '../../../api/query-client.ts';
import { Button } from '../../../components/button.tsx';
import { Field } from '../../../components/field.tsx';
import { TextField } from '../../../components/fields/text-field.tsx';
import { Select } from '../../../components/fields/select.tsx';
import { Dialog } from '../../../components/overlay/floating.tsx';
import { problemOfRings, ringsBody, usualRings, type ChosenRings } from '../../../entities/rings/chosen-rings.ts';
import { RingFields } from '../../../entities/rings/ring-fields.tsx';
import { tellOfRow } from '../../../hooks/tell-of-row.ts';
import { toastFailure } from '../../../hooks/toast-failure.ts';
import { fetchPage } from '../../../rows/use-rows.ts';
import type { RuleValues } from './rule-draft.ts';

const which = [
  { value: 'all', label: t.allDevices },
  { value: 'tag', label: t.withTag },
] as const;

interface RollOutProps {
  /** Undefined while the rule is new. */
  ruleId: string | undefined;
  values: Pick<RuleValues, 'name' | 'subscriptionId' | 'conditions' | 'recoveryConditions'> & { tenantId: string };
  /** The fields of the rule to send. */
  sent: NonNullable<CallInput<typeof startCampaign>['rule']>;
  onRefused: (error: unknown) => void;
  onClose: () => void;
}

export function RollOut({ ruleId, values, sent, onRefused, onClose }: RollOutProps) {
  const { name, tenantId, subscriptionId } = values;
  const navigate = useNavigate();
  const [tag, setTag] = useState<string>();
  const [chosen, setChosen] = useState<ChosenRings>();
  const lacksTag = tag?.trim() === '';
  const looksAtRules = [...values.conditions, ...values.recoveryConditions].some(
    ({ LeftOperand }) => operandOf(LeftOperand ?? -1)?.place !== undefined,
  );
  const filter =
    and(
      eq(devices, 'enabled', true),
      subscriptionId ? eq(devices, 'subscriptionId', subscriptionId) : undefined,
      tag?.trim() ? contains(devices, 'tags', tag.trim()) : undefined,
    ) ?? '';
  const count = useQuery({
    queryKey: [devices.name, 'count', tenantId, filter],
    queryFn: async ({ signal }) =>
      (await fetchPage(devices, { filter: and(eq(devices, 'tenantId', tenantId), filter), count: true, top: 1 }, signal)).count ?? 0,
    enabled: !lacksTag,
    meta: { live: false },
  });
  const total = lacksTag ? 0 : (count.data ?? 0);
  const rings = chosen ?? usualRings(total);
  const problem = looksAtRules
    ? t.byItself
    : lacksTag
      ? campaignTexts.rings.wrongTag
      : total > campaignDevicesMax
        ? campaignTexts.tooMany(campaignDevicesMax)
        : total === 1
          ? t.one
          : total === 0
            ? t.none
            : undefined;
  const start = useMutation({
    mutationFn: () =>
      call(startCampaign, { tenantId, kind: 'ChangeRule', filter, ruleId, rule: sent, ...ringsBody(rings) }, { creates: true }),
    onSuccess: async ({ campaignId }) => {
      await queryClient.invalidateQueries({ queryKey: [campaigns.name] });
      tellOfRow({ tenantId }, campaignTexts.started);
      onClose();
      await navigate(`/${tenantId}/campaigns/${campaignId}`, { state: { saved: true } });
    },
    onError: (error) => {
      onRefused(error);
      onClose();
      toastFailure(error);
    },
  });
  return (
    <Dialog
      title={t.title(name)}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{en.common.cancel}</Button>
          <Button
            look="primary"
            disabled={!count.data || problem !== undefined || problemOfRings(rings) !== undefined || start.isPending}
            onClick={() => start.mutate()}
          >
            {t.start}
          </Button>
        </>
      }
    >
      <div className="rule-rings">
        <p className="muted">{ruleId ? t.explained : t.explainedNew}</p>
        <div className="form-grid">
          <Field label={t.which}>
            {(aria) => (
              <Select
                {...aria}
                value={tag === undefined ? 'all' : 'tag'}
                choices={which}
                onChange={(chosen) => setTag(chosen === 'all' ? undefined : '')}
              />
            )}
          </Field>
          {tag !== undefined && <TextField label={t.tag} value={tag} maxLength={100} onChange={setTag} />}
        </div>
        <p role="status" className={(count.data !== undefined || lacksTag) && problem ? 'error' : 'faint'}>
          {count.error ? failureText(count.error) : count.data === undefined && !lacksTag ? t.counting : (problem ?? t.deviceCount(total))}
        </p>
        {total > 1 && !looksAtRules && (
          <RingFields tenantId={tenantId} total={total} undone={t.undone} share={t.share} rings={rings} onChange={setChosen} />
        )}
      </div>
    </Dialog>
  );
}
