import type { Explanation } from '@cloudfit/contract/actions/explain.ts';
import { withTimes } from '../../../theme/times.ts';

/** Each condition with the value that it read; a summary if none was evaluated. */
export function ConditionLines({ explanation: { conditions, summary } }: { explanation: Explanation }) {
  if (conditions.length === 0) return <p className="muted">{summary}</p>;
  return (
    <ul className="condition-lines">
      {conditions.map((condition) => (
        <li key={condition.index} className={condition.satisfied ? 'ok' : 'failed'}>
          {condition.text}: {withTimes(condition.saw)}
          {condition.progress && ` (${withTimes(condition.progress)})`}
        </li>
      ))}
    </ul>
  );
}
