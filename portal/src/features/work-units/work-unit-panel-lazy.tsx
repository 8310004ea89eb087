import { lazy, Suspense } from 'react';
import { SidePanel } from '../../components/side-panel.tsx';
import { Skeleton } from '../../components/states.tsx';
import type { AnyRow, PanelProps } from '../../resource/view.ts';

/** Fetched while nobody waits for it, so that a click finds it here. */
export const loadWorkUnitPanel = () => import('./work-unit-panel.tsx').then((module) => ({ default: module.WorkUnitPanelContent }));

const Content = lazy(loadWorkUnitPanel);

export function WorkUnitPanel(props: PanelProps<AnyRow>) {
  return (
    <Suspense fallback={<SidePanel title={String(props.row?.['title'] ?? '')} onClose={props.onClose}><div className="body"><Skeleton width="60%" /></div></SidePanel>}>
      <Content {...props} />
    </Suspense>
  );
}
