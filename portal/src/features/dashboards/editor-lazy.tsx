import { onDemand } from '../../components/on-demand.tsx';
import type { EditorProps } from './editor.tsx';

/** Its code, with the library that moves tiles, loads when somebody edits a dashboard. */
export const { Component: Editor } = onDemand<EditorProps>(() => import('./editor.tsx').then((module) => module.Editor), {
  waiting: () => <div className="dash-arrange" aria-busy />,
});
