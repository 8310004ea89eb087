import { en } from '@cloudfit/contract/messages/en.ts';
import { Button } from '../components/button.tsx';
import { RelativeTime } from '../components/relative-time.tsx';
import type { ResourceFormState } from './use-resource-form.ts';

/** Says above the form that a draft was restored. */
export function RestoredNotice({ state }: { state: Pick<ResourceFormState, 'restored' | 'restart'> }) {
  const { restored, restart } = state;
  return (
    <div role="status" className={restored ? 'notice' : ''}>
      {restored && (
        <>
          <span className="grow">
            {en.form.restored(restored.count)} <RelativeTime value={restored.at} />.
          </span>
          <Button small onClick={restart}>
            {en.common.discard}
          </Button>
        </>
      )}
    </div>
  );
}
