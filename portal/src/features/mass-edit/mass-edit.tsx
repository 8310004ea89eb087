import { useSearchParams } from 'react-router';
import { onDemand } from '../../components/on-demand.tsx';
import { massEditParam } from '../../entities/work-units/selected-ids.ts';

const { Component: Panel } = onDemand<object>(() => import('./mass-edit-panel.tsx').then((module) => module.MassEditPanel));

/** The panel, while the address names work units to edit together. */
export function MassEdit() {
  const [params] = useSearchParams();
  return params.has(massEditParam) ? <Panel /> : null;
}
