import { useState } from 'react';
import { giveFeedback } from '@cloudfit/contract/calls.ts';
import { experienceScores } from '@cloudfit/contract/enums.ts';
import { resolutionCenterEn as t } from '@cloudfit/contract/messages/resolution-center.en.ts';
import { choiceText } from '@cloudfit/contract/messages/choices.en.ts';
import { call } from '../../api/call.ts';
import { currentImpersonation } from '../../api/see-as.ts';
import { useCommand } from '../../calls/command.ts';
import { Icon, type IconName } from '../../components/icon.tsx';
import { useAddress } from '../../hooks/use-address.ts';
import { requests, type CustomerRequest, type Score } from './requests.ts';

const faces: Record<Score, { icon: IconName; tone: string }> = {
  Great: { icon: 'smile', tone: 'great' },
  Average: { icon: 'neutral', tone: 'average' },
  Poor: { icon: 'frown', tone: 'poor' },
};

/** The address parameter that shows thanks for the feedback. Links in mails set it, too (RC-008). */
export const thanksFlag = 'showThanksForFeedbackMessage';

/** The person's rating of a request, as a face (RC-012). */
export function SatisfactionIcon({ score }: { score: Score }) {
  const { icon, tone } = faces[score];
  return (
    <span className={`face ${tone}`} title={choiceText(score)}>
      <Icon name={icon} label={choiceText(score)} />
    </span>
  );
}

/** Asks for a rating once the request is done. The person may change it; during an impersonation it is only shown. */
export function Feedback({ request }: { request: CustomerRequest }) {
  const setAddress = useAddress();
  const [chosen, setChosen] = useState<Score>();
  const { run, isBusy } = useCommand(
    (stakeHolderExperienceScore: Score) => call(giveFeedback, { workUnitId: request.workUnitId, stakeHolderExperienceScore }),
    { failed: t.feedback.failed, refreshes: [requests.name] },
  );
  const now = isBusy ? chosen : request.stakeHolderExperienceScore;
  const choose = async (score: Score) => {
    setChosen(score);
    if (!(await run(score))) return;
    setAddress(
      (params) => {
        params.set(thanksFlag, 'true');
        return undefined;
      },
      { replace: true },
    );
  };
  const isImpersonation = currentImpersonation() !== undefined;
  if (isImpersonation && !now) return null;
  const title = request.stakeHolderExperienceScore ? t.feedback.heading : t.feedback.question;
  return (
    <section className="form-section feedback" role="group" aria-label={title}>
      <h3>{title}</h3>
      <div className="faces">
        {experienceScores.map((score) => (
          <button
            key={score}
            type="button"
            className={`btn face-choice ${faces[score].tone}`}
            aria-pressed={now === score}
            disabled={isBusy || isImpersonation}
            onClick={() => void choose(score)}
          >
            <Icon name={faces[score].icon} />
            {choiceText(score)}
          </button>
        ))}
      </div>
    </section>
  );
}
