import type { WorkUnitState } from '@cloudfit/contract/enums.ts';
import { choiceText } from '@cloudfit/contract/messages/choices.en.ts';
import { StatusChip, type StatusShape } from '../../components/chips.tsx';

const looks: Record<WorkUnitState, { shape: StatusShape; color: string }> = {
  New: { shape: 'open', color: 'var(--sev0)' },
  Acknowledged: { shape: 'half', color: 'var(--sev2)' },
  InProgress: { shape: 'most', color: 'var(--sev3)' },
  OnHold: { shape: 'paused', color: 'var(--muted)' },
  Mitigated: { shape: 'near', color: 'var(--ok)' },
  Resolved: { shape: 'done', color: 'var(--ok)' },
  Closed: { shape: 'closed', color: 'var(--muted)' },
  Canceled: { shape: 'crossed', color: 'var(--muted)' },
};

export function StateChip({ state }: { state: WorkUnitState }) {
  return <StatusChip {...looks[state]}>{choiceText(state)}</StatusChip>;
}
