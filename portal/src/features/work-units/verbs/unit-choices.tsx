import { onDemand } from '../../../components/on-demand.tsx';
import { useChoice, type OpenChoice } from './choice.ts';

const { Component: ChoicePopup } = onDemand<{ choice: OpenChoice }>(() =>
  import('./choice-popup.tsx').then((module) => module.ChoicePopup),
);

/** The menu or search of the open choice, on every screen that has work units. */
export function UnitChoices() {
  const choice = useChoice();
  return choice ? <ChoicePopup key={choice.kind} choice={choice} /> : null;
}
