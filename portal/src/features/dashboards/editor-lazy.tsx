import { onDemand } from '../../components/on-demand.tsx';
import type { DashboardEditorProps } from './editor.tsx';

/** The code of the editor, with the library that moves tiles, loads when somebody edits a dashboard. */
export const { Component: Editor } = onDemand<DashboardEditorProps>(() => import('./editor.tsx').then((module) => module.Editor), {
  waiting: () => <div className="dash-arrange" aria-busy />,
});
