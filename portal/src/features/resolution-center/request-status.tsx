import { StatusChip } from '../../components/chips.tsx';
import type { Request } from './requests.ts';

export function RequestStatus({ status }: { status: Request['status'] }) {
  return status === 'Done' ? (
    <StatusChip shape="done" color="var(--ok)">
      {status}
    </StatusChip>
  ) : (
    <StatusChip shape="half" color="var(--sev3)">
      {status}
    </StatusChip>
  );
}
