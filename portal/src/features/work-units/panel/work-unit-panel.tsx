/** Creates or edits a work unit: form, notes and history, protocol, pending actions, properties, related rows. */
import { useCallback, useEffect, useMemo, useState } from 'react';
import { workUnitTexts } from '@cloudfit/contract/messages/work-unit.en.ts';
import { situationTexts as s } from '@cloudfit/contract/messages/work-unit-situation.en.ts';
import { useMay } from '../../../api/lookups.ts';
import { whenIdle } from '../../../api/when-idle.ts';
import { IconButton } from '../../../components/button.tsx';
import { onDemand } from '../../../components/on-demand.tsx';
import { useTabTitle } from '../../../components/page-title.ts';
import { SidePanel } from '../../../components/side-panel.tsx';
import { Skeleton } from '../../../components/states.tsx';
import { MissingRow } from '../../../rows/missing-row.tsx';
import { newId } from '../../../hooks/use-panel.ts';
import type { PanelProps } from '../../../resource/view.ts';
import { PendingWarning } from '../pending-actions/pending-warning.tsx';
import { UnitLine } from '../situation/unit-line.tsx';
import { useAsPage } from '../situation/use-as-page.ts';
import { useOpenedLink } from '../visits/use-opened-link.ts';
import { WatchButton } from '../watchers/watch-button.tsx';
import { Properties } from './properties.tsx';
import type { OtherTabProps } from './other-tab.tsx';
import { tabPanelProps, UnitTabs, useUnitTab } from './unit-tabs.tsx';
import { usePendingActions } from '../pending-actions/use-pending-actions.ts';
import { useWorkUnit } from './use-work-unit.ts';
import { WorkUnitCreate } from './work-unit-create.tsx';
import { WorkUnitEditor } from './work-unit-editor.tsx';
import type { PanelWorkUnit } from '../work-unit.rules.ts';
import { UnitActions } from '../verbs/unit-actions.tsx';
import { focusNote } from '../verbs/unit-target.ts';
import { CopyLink } from './copy-link.tsx';
import './work-unit-panel.css';

/** Loaded while the open panel is idle, so that a click on a tab shows it at once. */
const otherTab = onDemand<OtherTabProps>(() => import('./other-tab.tsx').then((module) => module.OtherTab), {
  waiting: () => <Skeleton width="60%" />,
});

function ExistingUnit({ unit, onClose }: { unit: PanelWorkUnit; onClose: () => void }) {
  // Created before the first render, so that the form fills the footer without a second render of the panel.
  const [footer] = useState(() => Object.assign(document.createElement('div'), { className: 'panel-footer' }));
  // The same function at each render: attaching the footer again would take the focus from its buttons.
  const place = useCallback((at: HTMLElement | null) => at?.append(footer), [footer]);
  const [tab, choose] = useUnitTab();
  useOpenedLink(unit.workUnitId);
  useEffect(() => void whenIdle().then(otherTab.load), []);
  const { data: pending } = usePendingActions(unit.workUnitId);
  const waiting = pending?.waiting ?? 0;
  const [isPage, togglePage] = useAsPage();
  const title = workUnitTexts.editTitle(unit.publicWorkUnitId, unit.title);
  useTabTitle(title);
  return (
    <SidePanel
      title={title}
      onClose={onClose}
      full={isPage}
      tools={
        <>
          <IconButton
            small
            className="only-wide"
            icon={isPage ? 'right' : 'external'}
            label={isPage ? s.besideList : s.asPage}
            onClick={togglePage}
          />
          <CopyLink id={unit.workUnitId} />
          <WatchButton id={unit.workUnitId} />
        </>
      }
      underTitle={
        <div className="unit-under-title">
          <UnitLine unit={unit} />
          <UnitActions
            unit={unit}
            onNote={() => {
              choose('form');
              focusNote();
            }}
          />
        </div>
      }
      tabs={<UnitTabs value={tab} onChange={choose} pending={waiting} related={unit.relations?.length} />}
      footer={<div ref={place} className="panel-footer-place" />}
    >
      <div className="body" {...tabPanelProps(tab)}>
        {waiting > 0 && tab !== 'pending' && <PendingWarning onReview={() => choose('pending')} />}
        {/* The form stays mounted while another tab is open, so that typed text is kept. */}
        <div hidden={tab !== 'form'}>
          <WorkUnitEditor unit={unit} footer={footer} onClose={onClose} onFault={() => choose('form', false)} />
        </div>
        {tab === 'properties' && <Properties unit={unit} />}
        {tab !== 'form' && tab !== 'properties' && <otherTab.Component key={tab} tab={tab} unit={unit} />}
      </div>
    </SidePanel>
  );
}

/** A row of the list has no name of its protocol; the form would look it up, although the panel's read brings it. */
function useListed(row: PanelWorkUnit | undefined): PanelWorkUnit | undefined {
  const seesProtocols = useMay()('WorkUnits.Protocols', 'view');
  return useMemo(
    () => (row?.protocolId && seesProtocols ? { protocol: { protocolId: row.protocolId, name: '' }, ...row } : row),
    [row, seesProtocols],
  );
}

export function WorkUnitPanelContent({ id, row, onClose }: PanelProps<PanelWorkUnit>) {
  const isNew = id === newId;
  const { data: unit, error, refetch } = useWorkUnit(id, useListed(row), !isNew);
  if (isNew) return <WorkUnitCreate onClose={onClose} />;
  if (!unit) return <MissingRow label={workUnitTexts.label} error={error} onRetry={() => void refetch()} onClose={onClose} />;
  return <ExistingUnit key={unit.workUnitId} unit={unit} onClose={onClose} />;
}
