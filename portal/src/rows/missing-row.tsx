import { en } from '@cloudfit/contract/messages/en.ts';
import { SidePanel } from '../components/side-panel.tsx';
import { ErrorState, Skeleton } from '../components/states.tsx';
import { LoadFailure } from './load-failure.tsx';

interface MissingRowProps {
  /** The singular name of the resource. */
  label: string;
  /** Null while the row loads. */
  error: Error | null;
  /** Whether the row does not exist although no call failed. */
  isGone?: boolean;
  onRetry: () => void;
  onClose: () => void;
}

/** A panel without a row: the row is loading, does not exist, or could not be read. */
export function MissingRow({ label, error, isGone = false, onRetry, onClose }: MissingRowProps) {
  const missing = en.failure.rowNotFound(label);
  return (
    <SidePanel title={label} onClose={onClose}>
      <div className="body">
        {isGone ? (
          <ErrorState title={missing} />
        ) : error ? (
          <LoadFailure query={{ error, refetch: onRetry }} failed={en.failure.row(label)} missing={missing} />
        ) : (
          <Skeleton width="60%" />
        )}
      </div>
    </SidePanel>
  );
}
