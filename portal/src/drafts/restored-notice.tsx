import { en } from '@cloudfit/contract/messages/en.ts';
import { Button } from '../components/button.tsx';
import { RelativeTime } from '../components/relative-time.tsx';
import type { RestoredDraft } from './use-form-draft.ts';

/** Says above the form that a draft was restored. */
export function RestoredNotice({ restored, onDiscard }: { restored: RestoredDraft | undefined; onDiscard: () => void }) {
  return (
    <div role="status" className={restored ? 'notice' : ''}>
      {restored && (
        <>
          <span className="grow">
            {en.form.restored(restored.count)} <RelativeTime value={restored.at} />.
          </span>
          <Button small onClick={onDiscard}>
            {en.common.discard}
          </Button>
        </>
      )}
    </div>
  );
}
