/** The person's own subscription to what their tenants announce by mail: whether, of what, and in which language. */
import { useMemo, useState } from 'react';
import type { CallOutput } from '@cloudfit/contract/call.ts';
import { changeOwnSubscription, ownSubscriptions } from '@cloudfit/contract/calls.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { resolutionCenterEn } from '@cloudfit/contract/messages/resolution-center.en.ts';
import { communicationContacts } from '@cloudfit/contract/resources/communication-contacts.ts';
import { call, useCall } from '../../api/call.ts';
import { ActionForm } from '../../calls/action-form.tsx';
import { Loaded } from '../../calls/loaded.tsx';
import { useActionForm } from '../../calls/use-action-form.ts';
import { Button } from '../../components/button.tsx';
import { Field } from '../../components/field.tsx';
import { Select } from '../../components/fields/select.tsx';
import { SidePanel } from '../../components/side-panel.tsx';
import { EmptyState } from '../../components/states.tsx';
import { toast } from '../../components/toasts.tsx';

const t = resolutionCenterEn.subscription;

type OwnSubscription = CallOutput<typeof ownSubscriptions>['value'][number];

const { fields: declared } = communicationContacts;
const layout = {
  sections: [{ fields: ['active', 'kinds', 'minimumSeverity', 'language'] as const }],
  help: { minimumSeverity: t.severityHelp },
};

function SubscriptionForm({ subscription, onDone }: { subscription: OwnSubscription; onDone: () => void }) {
  const { tenantId, active, kinds, minimumSeverity, language } = subscription;
  const fields = useMemo(
    () => ({
      active: { ...declared.active, label: t.active, initial: active },
      kinds: { ...declared.kinds, label: t.kinds, initial: kinds },
      minimumSeverity: { ...declared.minimumSeverity, label: t.severity, initial: minimumSeverity },
      language: { ...declared.language, initial: language },
    }),
    [active, kinds, minimumSeverity, language],
  );
  const { isBusy, ...form } = useActionForm((values) => call(changeOwnSubscription, { tenantId, ...values }, { quiet: true }), {
    draft: `subscription.${tenantId}`,
    fields,
    layout,
    onDone: (answer) => {
      toast.success(answer.active ? t.subscribed : t.ended);
      onDone();
    },
    refreshes: [ownSubscriptions],
  });
  return (
    <>
      <ActionForm {...form} label={t.title} />
      <Button look="primary" type="submit" form={form.state.id} disabled={isBusy || !form.state.isDirty}>
        {isBusy ? en.common.saving : en.common.save}
      </Button>
    </>
  );
}

interface SubscriptionsProps {
  /** The tenant of the address. */
  tenantId: string | undefined;
  onClose: () => void;
}

export function SubscriptionPanel({ tenantId, onClose }: SubscriptionsProps) {
  const query = useCall(ownSubscriptions, {}, { gcTime: 0 });
  const [chosen, setChosen] = useState(tenantId);
  return (
    <SidePanel title={t.title} onClose={onClose}>
      <div className="body">
        <Loaded query={query} failed={t.failed}>
          {({ email, value }) => {
            const subscription = value.find((row) => row.tenantId === chosen) ?? value[0];
            if (email === null) return <EmptyState small icon="mail" title={t.noAddress} text={t.noAddressText} />;
            if (!subscription) return <EmptyState small icon="mail" title={t.none} />;
            return (
              <>
                <p className="muted">{t.hint(email)}</p>
                {value.length > 1 && (
                  <Field label={t.of}>
                    {(aria) => (
                      <Select
                        {...aria}
                        value={subscription.tenantId}
                        choices={value.map((row) => ({ value: row.tenantId, label: row.tenantName }))}
                        onChange={setChosen}
                      />
                    )}
                  </Field>
                )}
                <SubscriptionForm key={subscription.tenantId} subscription={subscription} onDone={onClose} />
              </>
            );
          }}
        </Loaded>
      </div>
    </SidePanel>
  );
}
