import { useQuery } from '@tanstack/react-query';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { workUnitPanelTexts } from '@cloudfit/contract/messages/work-unit-panel.en.ts';
import { failureText } from '../../../api/client.ts';
import { Button } from '../../../components/button.tsx';
import { Dialog } from '../../../components/overlay/floating.tsx';
import { ErrorState, Skeleton } from '../../../components/states.tsx';
import { renderEmail, type Parameters, type PendingAction } from '../pending-actions/use-pending-actions.ts';
import type { PanelWorkUnit } from '../work-unit.rules.ts';

const t = workUnitPanelTexts.pending.mail;
const heads = ['to', 'cc', 'bcc', 'subject'] as const;

interface EmailPreviewProps {
  unit: PanelWorkUnit;
  action: PendingAction;
  parameters: Parameters;
  onClose: () => void;
}

/** The mail that the action would send with these parameters (WU-120); nothing is sent. */
export function EmailPreviewDialog({ unit, action, parameters, onClose }: EmailPreviewProps) {
  const { data, error, refetch } = useQuery({
    queryKey: [workUnits.name, 'email', unit.workUnitId, action.protocolActionId, parameters],
    queryFn: () => renderEmail(unit.workUnitId, action.protocolActionId, parameters),
    gcTime: 0,
  });
  return (
    <Dialog
      title={t.title}
      onClose={onClose}
      actions={
        <Button look="primary" onClick={onClose}>
          {en.common.close}
        </Button>
      }
    >
      {error ? (
        <ErrorState small title={t.failed} text={failureText(error)} onRetry={() => void refetch()} />
      ) : data ? (
        <dl className="pairs mail">
          {heads.map((name) => (
            <div key={name}>
              <dt>{t[name]}</dt>
              <dd>{data[name] || en.common.none}</dd>
            </div>
          ))}
          <div>
            <dt>{t.body}</dt>
            <dd className="mail-body">{data.body}</dd>
          </div>
        </dl>
      ) : (
        <Skeleton width="60%" />
      )}
    </Dialog>
  );
}
