import { choiceText } from '@cloudfit/contract/messages/choices.en.ts';
import { StatusChip } from '../../components/chips.tsx';
import type { CustomerRequest } from './requests.ts';

export function RequestStatus({ status }: { status: CustomerRequest['status'] }) {
  return status === 'Done' ? (
    <StatusChip shape="done" color="var(--ok)">
      {choiceText(status)}
    </StatusChip>
  ) : (
    <StatusChip shape="half" color="var(--sev3)">
      {choiceText(status)}
    </StatusChip>
  );
}
