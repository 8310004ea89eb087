import { experienceScores } from '@cloudfit/contract/enums.ts';
import { resolutionCenterEn as t } from '@cloudfit/contract/messages/resolution-center.en.ts';
import { currentSight } from '../../api/see-as.ts';
import { Icon, type IconName } from '../../components/icon.tsx';
import { useAddress } from '../../hooks/use-address.ts';
import { useFeedback, type CustomerRequest, type Score } from './requests.ts';

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
    <span className={`face ${tone}`} title={score}>
      <Icon name={icon} label={score} />
    </span>
  );
}

/** Asks for a rating once the request is done. The person may change it; in a sight it is only shown. */
export function Feedback({ request }: { request: CustomerRequest }) {
  const setAddress = useAddress();
  const give = useFeedback(request.workUnitId);
  const now = give.isPending ? give.variables : request.stakeHolderExperienceScore;
  const choose = async (score: Score) => {
    await give.mutateAsync(score).then(
      () =>
        setAddress(
          (params) => {
            params.set(thanksFlag, 'true');
            return undefined;
          },
          { replace: true },
        ),
      () => undefined,
    );
  };
  const isSight = currentSight() !== undefined;
  if (isSight && !now) return null;
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
            disabled={give.isPending || isSight}
            onClick={() => void choose(score)}
          >
            <Icon name={faces[score].icon} />
            {score}
          </button>
        ))}
      </div>
    </section>
  );
}
