import { panelOnDemand } from '../../../resource/panel-on-demand.tsx';
import type { Rule } from '../use-rules.ts';

export const ruleEditor = panelOnDemand<Rule>(() => import('./rule-editor-panel.tsx').then((module) => module.RuleEditorPanel), {
  title: (row) => row.name,
  wide: true,
});
