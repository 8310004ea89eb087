import { resolutionCenterEn } from '@cloudfit/contract/messages/resolution-center.en.ts';
import { currentSight } from '../../api/see-as.ts';
import { Button } from '../../components/button.tsx';
import { useCallMe, type CustomerRequest } from './requests.ts';

const t = resolutionCenterEn.callMe;

/** Requests a call about a request. Not offered in a sight, which is read-only. */
export function CallMe({ request }: { request: Pick<CustomerRequest, 'workUnitId' | 'title'> }) {
  const callMe = useCallMe();
  if (currentSight()) return null;
  return (
    <Button
      small
      icon="phone"
      aria-label={t.label(request.title)}
      disabled={callMe.isPending}
      onClick={() => callMe.mutate(request.workUnitId)}
    >
      {t.action}
    </Button>
  );
}
