/** What a change of a policy does on devices, a line for each thing. */
import type { previewPolicy } from '@cloudfit/contract/calls.ts';
import type { CallOutput } from '@cloudfit/contract/call.ts';
import { policyTexts } from '@cloudfit/contract/messages/policies.en.ts';
import { countText } from '../../components/count.ts';
import './policy-plan.css';

const t = policyTexts.preview;
const linesMax = 8;

type ShownPlan = CallOutput<typeof previewPolicy>;

export const linesOf = (plan: ShownPlan) => [
  ...plan.gains.map((item) => ({ ...item, sign: '+', verb: t.gain })),
  ...plan.losses.map((item) => ({ ...item, sign: '−', verb: t.loss })),
  ...plan.changes.map((item) => ({ ...item, sign: '~', verb: t.change })),
];

export function PlanLines({ plan }: { plan: ShownPlan }) {
  return (
    <ul className="policy-plan">
      {linesOf(plan)
        .slice(0, linesMax)
        .map(({ sign, verb, kind, key, label, devices }) => (
          <li key={`${sign} ${key}`}>
            <span aria-hidden className="policy-sign">
              {sign}
            </span>
            <span>
              {verb}: {policyTexts.kinds[kind]} {kind === 'Heartbeat' ? '' : label} {t.on(countText(devices))}
            </span>
          </li>
        ))}
    </ul>
  );
}

export function ConflictLines({ plan }: { plan: ShownPlan }) {
  if (plan.conflicts.length === 0) return null;
  return (
    <>
      <h4>{t.conflicts}</h4>
      <ul className="policy-plan">
        {plan.conflicts.slice(0, linesMax).map(({ key, kind, label, policyId, policyName, wins, devices }) => (
          <li key={`${key} ${policyId}`}>
            <span aria-hidden className="policy-sign">
              {wins ? '✓' : '!'}
            </span>
            <span>
              {policyTexts.kinds[kind]} {kind === 'Heartbeat' ? '' : label}: {(wins ? t.wins : t.yields)(policyName, countText(devices))}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
