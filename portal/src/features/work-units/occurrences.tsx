import { en } from '@cloudfit/contract/messages/en.ts';
import { Chip } from '../../components/chips.tsx';

/** How many matches the unit stands for, when it is more than one. */
export function Occurrences({ count }: { count: number | undefined }) {
  if (count === undefined || count < 2) return null;
  return (
    <Chip>
      <span title={en.workUnits.occurrences(count)} aria-label={en.workUnits.occurrences(count)} role="img">
        ×{count}
      </span>
    </Chip>
  );
}
