import { useEffect, useState } from 'react';
import type { PatternProblem } from '@cloudfit/contract/rules/problems.ts';

const notKnown: PatternProblem = () => undefined;

/** The check of patterns; its engine is large and comes when the first pattern is written. */
export function usePatternProblem(isNeeded: boolean): PatternProblem {
  const [check, setCheck] = useState<PatternProblem>(() => notKnown);
  useEffect(() => {
    if (!isNeeded || check !== notKnown) return;
    void import('@cloudfit/contract/rules/operators.ts').then(({ patternProblem }) => setCheck(() => patternProblem));
  }, [isNeeded, check]);
  return check;
}
