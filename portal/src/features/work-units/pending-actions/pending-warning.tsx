import { workUnitPanelTexts } from '@cloudfit/contract/messages/work-unit-panel.en.ts';
import { Button } from '../../../components/button.tsx';
import { Icon } from '../../../components/icon.tsx';

const t = workUnitPanelTexts.pending;

/** Shown on every other tab while an action waits for a person (WU-056). */
export function PendingWarning({ onReview }: { onReview: () => void }) {
  return (
    <div className="notice warning" role="status">
      <Icon name="warning" />
      <span className="grow">{t.warning}</span>
      <Button small onClick={onReview}>
        {t.review}
      </Button>
    </div>
  );
}
