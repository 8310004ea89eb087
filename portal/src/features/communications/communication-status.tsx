import { communicationStatuses } from '@cloudfit/contract/enums.ts';
import { choiceText } from '@cloudfit/contract/messages/choices.en.ts';
import { StatusChip, type StatusShape } from '../../components/chips.tsx';
import type { CommunicationRow } from './communication.rules.ts';

const looks: Record<CommunicationRow['status'], { shape: StatusShape; color: string }> = {
  Investigating: { shape: 'open', color: 'var(--sev2)' },
  ConfirmedImpact: { shape: 'half', color: 'var(--sev0)' },
  ServiceRestored: { shape: 'near', color: 'var(--ok)' },
  Cancelled: { shape: 'crossed', color: 'var(--muted)' },
  Resolved: { shape: 'done', color: 'var(--ok)' },
};

export const statusLabel = (status: CommunicationRow['status']): string =>
  choiceText(communicationStatuses.find(({ value }) => value === status)?.label ?? status);

export function CommunicationStatus({ status }: { status: CommunicationRow['status'] }) {
  return <StatusChip {...looks[status]}>{statusLabel(status)}</StatusChip>;
}
