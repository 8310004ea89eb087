import { useEffect } from 'react';
import { useLocation } from 'react-router';
import { onDemand } from '../../../components/on-demand.tsx';
import { closeChoice, useChoice, type OpenChoice } from './choice.ts';

const { Component: ChoicePopup } = onDemand<{ choice: OpenChoice }>(() =>
  import('./choice-popup.tsx').then((module) => module.ChoicePopup),
);

/** The menu or search of the open choice, on every screen that has work units. It closes when the person leaves the screen or the unit. */
export function UnitChoices() {
  const choice = useChoice();
  const { pathname, search } = useLocation();
  const unit = new URLSearchParams(search).get('workUnitId');
  useEffect(() => closeChoice, [pathname, unit]);
  return choice ? <ChoicePopup key={choice.kind} choice={choice} /> : null;
}
