import { en } from '@cloudfit/contract/messages/en.ts';
import { historyTexts as t } from '@cloudfit/contract/messages/work-unit-history.en.ts';
import { Button } from '../../../components/button.tsx';
import { RelativeTime } from '../../../components/relative-time.tsx';
import type { WorkUnitEditing } from '../panel/use-work-unit-editing.ts';

/** Says above the form that a draft was restored. */
export function RestoredNotice({ editing }: { editing: WorkUnitEditing }) {
  const { restored } = editing;
  return (
    <div role="status" className={restored ? 'notice' : ''}>
      {restored && (
        <>
          <span className="grow">
            {t.restored(restored.count)} <RelativeTime value={restored.at} />.
          </span>
          <Button small onClick={editing.discard}>
            {en.common.discard}
          </Button>
        </>
      )}
    </div>
  );
}
