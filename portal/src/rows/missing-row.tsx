import { en } from '@cloudfit/contract/messages/en.ts';
import { failureText, RequestFailed } from '../api/client.ts';
import { SidePanel } from '../components/side-panel.tsx';
import { ErrorState, Skeleton } from '../components/states.tsx';

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
export function MissingRow({ label, error, isGone: isKnownGone = false, onRetry, onClose }: MissingRowProps) {
  const isGone = isKnownGone || (error instanceof RequestFailed && error.status === 404);
  return (
    <SidePanel title={label} onClose={onClose}>
      <div className="body">
        {error || isGone ? (
          <ErrorState
            title={isGone ? en.failure.rowNotFound(label) : en.failure.row(label)}
            text={isGone ? undefined : failureText(error)}
            onRetry={isGone ? undefined : onRetry}
          />
        ) : (
          <Skeleton width="60%" />
        )}
      </div>
    </SidePanel>
  );
}
