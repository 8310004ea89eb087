/** Why the rule matched, over the unit: the steps of the page that explains the match, with a link to that page. */
import { en } from '@cloudfit/contract/messages/en.ts';
import { whyTexts as t } from '@cloudfit/contract/messages/why.en.ts';
import { situationTexts } from '@cloudfit/contract/messages/work-unit-situation.en.ts';
import { Link } from 'react-router';
import { Loaded } from '../../../calls/loaded.tsx';
import { Button } from '../../../components/button.tsx';
import { Dialog } from '../../../components/overlay/floating.tsx';
import { Skeleton } from '../../../components/states.tsx';
import { matchAddress } from '../../../entities/explanations/addresses.ts';
import { ExplanationCards } from '../../../entities/explanations/explanation-cards.tsx';
import { useMatchExplanation } from '../../../entities/explanations/use-explanation.ts';
import type { RelatedMatch } from '../related/use-related.ts';

export interface WhyDialogProps {
  match: RelatedMatch;
  onClose: () => void;
}

export function WhyDialog({ match, onClose }: WhyDialogProps) {
  const { tenantId, ruleMatchId, label, rule, device } = match;
  return (
    <Dialog
      title={rule && device ? t.questions.matched(rule.name, device.name) : t.linkOf(label)}
      width="md"
      onClose={onClose}
      actions={
        <>
          <Link className="btn" to={matchAddress(tenantId, ruleMatchId)}>
            {situationTexts.asPage}
          </Link>
          <Button look="primary" onClick={onClose}>
            {en.common.close}
          </Button>
        </>
      }
    >
      <Loaded query={useMatchExplanation(ruleMatchId)} failed={t.failed} loading={<Skeleton width="60%" />}>
        {(explanation) => (
          <div className="why-in-place">
            <ExplanationCards explanation={explanation} tenantId={tenantId} />
          </div>
        )}
      </Loaded>
    </Dialog>
  );
}
