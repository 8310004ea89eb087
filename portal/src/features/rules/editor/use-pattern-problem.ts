import { useEffect, useState } from 'react';
import type { PatternProblem } from '@cloudfit/contract/rules/problems.ts';

const notKnown: PatternProblem = () => undefined;

/** Checks patterns. The engine is large and loads with the first pattern. */
export function usePatternProblem(isNeeded: boolean): PatternProblem {
  const [check, setCheck] = useState<PatternProblem>(() => notKnown);
  useEffect(() => {
    if (!isNeeded || check !== notKnown) return;
    void import('@cloudfit/contract/rules/operators.ts').then(({ patternProblem }) => setCheck(() => patternProblem));
  }, [isNeeded, check]);
  return check;
}
