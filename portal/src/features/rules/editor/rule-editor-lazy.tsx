import { SidePanel } from '../../../components/side-panel.tsx';
import { onDemand } from '../../../components/on-demand.tsx';
import { Skeleton } from '../../../components/states.tsx';
import type { Rule } from '../use-rules.ts';
import type { PanelProps } from '../../../resource/view.ts';

/** Fetched while nobody waits for it, so that a click finds it here. */
export const ruleEditor = onDemand<PanelProps<Rule>>(() => import('./rule-editor-panel.tsx').then((module) => module.RuleEditorPanel), {
  waiting: ({ row, onClose }) => (
    <SidePanel wide title={row?.name ?? ''} onClose={onClose}>
      <div className="body">
        <Skeleton width="60%" />
      </div>
    </SidePanel>
  ),
});
