import { callMe } from '@cloudfit/contract/calls.ts';
import { resolutionCenterEn } from '@cloudfit/contract/messages/resolution-center.en.ts';
import { call } from '../../api/call.ts';
import { currentImpersonation } from '../../api/see-as.ts';
import { useCommand } from '../../calls/command.ts';
import { Button } from '../../components/button.tsx';
import { toast } from '../../components/toasts.tsx';
import { requests, type CustomerRequest } from './requests.ts';

const t = resolutionCenterEn.callMe;

/** Requests a call about a request. Not offered during an impersonation, which is read-only. */
export function CallMe({ request: { workUnitId, title } }: { request: Pick<CustomerRequest, 'workUnitId' | 'title'> }) {
  const { run, isBusy } = useCommand(() => call(callMe, { workUnitId }), {
    done: ({ notified }) => (notified ? t.done : undefined),
    failed: t.failed,
    isWhole: true,
    refreshes: [requests.name],
  });
  const ask = async () => {
    const outcome = await run(undefined);
    if (outcome?.answer.notified === false) toast.warning(t.doneWithoutMail);
  };
  if (currentImpersonation()) return null;
  return (
    <Button small icon="phone" aria-label={t.label(title)} disabled={isBusy} onClick={() => void ask()}>
      {t.action}
    </Button>
  );
}
