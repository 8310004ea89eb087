import { renderEmail } from '@cloudfit/contract/calls.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { workUnitPanelTexts } from '@cloudfit/contract/messages/work-unit-panel.en.ts';
import { useCall } from '../../../api/call.ts';
import { Loaded } from '../../../calls/loaded.tsx';
import { Button } from '../../../components/button.tsx';
import { Dialog } from '../../../components/overlay/floating.tsx';
import { Skeleton } from '../../../components/states.tsx';
import type { Parameters, PendingAction } from '../pending-actions/use-pending-actions.ts';
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
  const input = { workUnitId: unit.workUnitId, protocolActionId: action.protocolActionId, userDefinedParams: parameters };
  const mail = useCall(renderEmail, input, { refreshedBy: workUnits.name, quiet: false, gcTime: 0 });
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
      <Loaded query={mail} failed={t.failed} loading={<Skeleton width="60%" />}>
        {(data) => (
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
        )}
      </Loaded>
    </Dialog>
  );
}
