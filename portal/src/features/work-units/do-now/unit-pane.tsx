/** The unit that the address names, beside a list of what to do, or over it where there is no room. */
import { useEffect } from 'react';
import { whenIdle } from '../../../api/when-idle.ts';
import { usePanel } from '../../../hooks/use-panel.ts';
import { workUnitPanel } from '../panel/work-unit-panel-lazy.tsx';
import { UnitChoices } from '../verbs/unit-choices.tsx';
import './unit-pane.css';

export const panelParam = 'workUnitId';

export function UnitPane() {
  const { id, close } = usePanel(panelParam);
  useEffect(() => void whenIdle().then(workUnitPanel.load), []);
  return (
    <>
      {id && <workUnitPanel.Component key={id} id={id} row={undefined} onClose={close} />}
      <UnitChoices />
    </>
  );
}
