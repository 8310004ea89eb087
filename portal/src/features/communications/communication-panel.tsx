/** Creates a communication, or shows one: its form, its steps, its work units, its reports. */
import { useCallback, useState } from 'react';
import { useSearchParams } from 'react-router';
import { communicationUpdateTexts } from '@cloudfit/contract/messages/communication-updates.en.ts';
import { communicationsEn as t } from '@cloudfit/contract/messages/communications.en.ts';
import { reportTypes } from '@cloudfit/contract/enums.ts';
import { workUnitCommunications } from '@cloudfit/contract/resources/work-unit-communications.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { useMay } from '../../api/lookups.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { copyText } from '../../components/copy.ts';
import { RelativeTime } from '../../components/relative-time.tsx';
import { SidePanel } from '../../components/side-panel.tsx';
import { Skeleton } from '../../components/states.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { PersonName } from '../../rows/person-name.tsx';
import { MissingRow } from '../../rows/missing-row.tsx';
import { useAddress } from '../../hooks/use-address.ts';
import { newId, usePanel } from '../../hooks/use-panel.ts';
import { useScope } from '../../rows/use-scope.ts';
import type { PanelProps } from '../../resource/view.ts';
import { CommunicationForm } from './communication-form.tsx';
import { CommunicationStatus } from './communication-status.tsx';
import type { CommunicationRow } from './communication.rules.ts';
import { LinkedUnits } from './linked-units.tsx';
import { sendInternalNotification } from './notify.ts';
import { Steps } from './steps.tsx';
import { Updates } from './updates/updates.tsx';
import { useCommunication, useOpenReport } from './use-report.ts';
import { useLinkedUnits, useSteps } from './use-steps.ts';
import './communications.css';

const tabNames = ['form', 'updates', 'steps', 'workUnits'] as const;
const param = 'publicWuCommId';
const { label } = workUnitCommunications;

interface ShownProps {
  communication: CommunicationRow;
  onClose: () => void;
}

/** Reports and the notification, available in every tab. */
function Outlets({ communication, isDirty }: { communication: CommunicationRow; isDirty: boolean }) {
  const { open } = useOpenReport();
  const mayEdit = useMay()('WorkUnitCommunications', 'edit');
  return (
    <div className="outlets">
      {reportTypes.map((type) => (
        <Button key={type} small icon="report" onClick={() => open(type, communication.publicWorkUnitCommunicationId)}>
          {t.reports[type]}
        </Button>
      ))}
      {mayEdit && (
        <Button small icon="mail" onClick={() => void sendInternalNotification(communication)}>
          {t.notify.action}
        </Button>
      )}
      {isDirty && <span className="faint">{t.reports.unsaved}</span>}
    </div>
  );
}

function Shown({ communication, onClose }: ShownProps) {
  const [params] = useSearchParams();
  const setAddress = useAddress();
  const { close } = usePanel(param);
  const may = useMay();
  const [footer, setFooter] = useState<HTMLElement | null>(null);
  const [isDirty, setDirty] = useState(false);
  const { workUnitCommunicationId: id, publicWorkUnitCommunicationId: number, title, tenant, status } = communication;
  const steps = useSteps(id).data?.rows;
  const units = useLinkedUnits(id, may('WorkUnits', 'view')).data;
  const tab = tabNames.find((name) => name === params.get('tab')) ?? 'form';
  const choose = (next: string) =>
    setAddress(
      (now) => {
        if (next === 'form') now.delete('tab');
        else now.set('tab', next);
        return undefined;
      },
      { replace: true, now: true },
    );
  const onSaved = useCallback(() => close({ saved: true }), [close]);
  return (
    <SidePanel
      title={title}
      label={t.panelTitle(number, title)}
      onClose={onClose}
      meta={
        <>
          <CommunicationStatus status={status} />
          <span className="num">WUCOMM #{number}</span>
          {tenant && (
            <>
              <span aria-hidden>·</span>
              <span className="ellipsis">{tenant.name}</span>
            </>
          )}
          <IconButton small icon="link" label={en.common.copyLink} onClick={() => void copyText(window.location.href)} />
        </>
      }
      tabs={
        <Tabs
          idBase="communication"
          label={label}
          value={tab}
          onChange={choose}
          items={[
            { id: 'form', label: t.tabs.form },
            { id: 'updates', label: communicationUpdateTexts.tab },
            { id: 'steps', label: t.tabs.steps, count: steps?.length },
            { id: 'workUnits', label: t.tabs.workUnits, count: units?.length },
          ]}
        />
      }
      footer={<div ref={setFooter} className="panel-foot" />}
    >
      <div className="body" role="tabpanel" id="communication-panel" aria-labelledby={`communication-${tab}`} tabIndex={0}>
        <Outlets communication={communication} isDirty={isDirty} />
        {/* The form stays mounted while another tab is open, so that typed text is kept. */}
        <div hidden={tab !== 'form'}>
          <CommunicationForm
            communication={communication}
            footer={footer}
            onClose={onClose}
            onSaved={onSaved}
            onDirty={setDirty}
            aside={
              <span className="faint ellipsis">
                {en.workUnits.savedAt('')}
                <RelativeTime value={communication.userChanged} />{' '}
                {communication.userChangedBy && (
                  <>
                    {en.workUnits.savedBy} <PersonName userName={communication.userChangedBy} />
                  </>
                )}
              </span>
            }
          />
        </div>
        {tab === 'updates' && <Updates communication={communication} />}
        {tab === 'steps' && <Steps communicationId={id} />}
        {tab === 'workUnits' && <LinkedUnits communication={communication} />}
      </div>
    </SidePanel>
  );
}

/** The panel stays open after the communication is created, because steps and work units come next. */
function Blank({ onClose }: { onClose: () => void }) {
  const setAddress = useAddress();
  const { isKnown } = useScope();
  const [footer, setFooter] = useState<HTMLElement | null>(null);
  const onSaved = ({ publicWorkUnitCommunicationId }: { publicWorkUnitCommunicationId: number }) =>
    setAddress(
      (now) => {
        now.set(param, String(publicWorkUnitCommunicationId));
        return undefined;
      },
      { replace: true, saved: true },
    );
  return (
    <SidePanel title={t.createTitle} onClose={onClose} footer={<div ref={setFooter} className="panel-foot" />}>
      <div className="body">
        {isKnown ? (
          <CommunicationForm communication={undefined} footer={footer} onClose={onClose} onSaved={onSaved} />
        ) : (
          <Skeleton width="60%" />
        )}
      </div>
    </SidePanel>
  );
}

export function CommunicationPanel({ id, row, onClose }: PanelProps<CommunicationRow>) {
  const isNew = id === newId;
  const isNumber = /^\d{1,15}$/.test(id);
  const { data, error, refetch } = useCommunication(isNew ? undefined : id, ['tenant'], row);
  if (isNew) return <Blank onClose={onClose} />;
  if (data) return <Shown key={data.workUnitCommunicationId} communication={data} onClose={onClose} />;
  return <MissingRow label={label} error={error} isGone={data === null || !isNumber} onRetry={() => void refetch()} onClose={onClose} />;
}
