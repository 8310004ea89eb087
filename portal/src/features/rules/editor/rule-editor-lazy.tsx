import { SidePanel } from '../../../components/side-panel.tsx';
import { onDemand } from '../../../components/on-demand.tsx';
import { Skeleton } from '../../../components/states.tsx';
import type { Rule } from '../use-rules.ts';
import type { PanelProps } from '../../../resource/view.ts';

/** Loaded while the page is idle, so that a click opens it at once. */
export const ruleEditor = onDemand<PanelProps<Rule>>(() => import('./rule-editor-panel.tsx').then((module) => module.RuleEditorPanel), {
  waiting: ({ row, onClose }) => (
    <SidePanel wide title={row?.name ?? ''} onClose={onClose}>
      <div className="body">
        <Skeleton width="60%" />
      </div>
    </SidePanel>
  ),
});
