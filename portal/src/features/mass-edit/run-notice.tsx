import { massEditTexts as t } from '@cloudfit/contract/messages/mass-edit.en.ts';
import { Button } from '../../components/button.tsx';
import type { MassEditRun } from './use-mass-edit.ts';

interface RunNoticeProps {
  run: MassEditRun;
  /** Number of units that are neither saved nor refused. */
  rest: number;
  onSaveRest: () => void;
  onRefresh: () => void;
}

/** Why the run stopped, and what to do about it. */
export function RunNotice({ run, rest, onSaveRest, onRefresh }: RunNoticeProps) {
  if (run.phase === 'stopped')
    return (
      <div className="mass-notice" role="status">
        <span>{t.stopped(run.done, run.all)}</span>
      </div>
    );
  if (run.phase !== 'refused') return null;
  return (
    <div className="mass-notice bad" role="alert">
      <span>
        {run.failure} {run.done > 0 && t.progress(run.done, run.all)}
      </span>
      {run.reasons.size > 0 && rest > 0 && (
        <Button small onClick={onSaveRest}>
          {t.saveRest(run.reasons.size, rest)}
        </Button>
      )}
      {run.isConflict && (
        <Button small icon="refresh" onClick={onRefresh}>
          {t.refresh}
        </Button>
      )}
    </div>
  );
}
