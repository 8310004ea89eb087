import type { Explanation } from '@cloudfit/contract/actions/explain.ts';

/** Each condition with the value that it read; a summary if none was evaluated. */
export function ConditionLines({ explanation: { conditions, summary } }: { explanation: Explanation }) {
  if (conditions.length === 0) return <p className="muted">{summary}</p>;
  return (
    <ul className="condition-lines">
      {conditions.map((one) => (
        <li key={one.index} className={one.satisfied ? 'ok' : 'failed'}>
          {one.text}: {one.saw}
          {one.progress && ` (${one.progress})`}
        </li>
      ))}
    </ul>
  );
}
