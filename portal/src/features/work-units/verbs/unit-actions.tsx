/** The bar of a unit: what people do with it most, with the keys, and the other verbs in a menu. */
import { unitVerbTexts as t } from '@cloudfit/contract/messages/unit-verbs.en.ts';
import { watcherTexts } from '@cloudfit/contract/messages/watchers.en.ts';
import { workUnitPanelTexts } from '@cloudfit/contract/messages/work-unit-panel.en.ts';
import { currentImpersonation } from '../../../api/see-as.ts';
import { Button } from '../../../components/button.tsx';
import { MenuButton } from '../../../components/overlay/menu-button.tsx';
import { focusPlace, runPageKey, usePageCommands, type PageCommand } from '../../../hooks/page-commands.ts';
import { useChangeType } from '../panel/use-change-type.ts';
import { useWatching } from '../watchers/use-watching.ts';
import type { PanelWorkUnit } from '../work-unit.rules.ts';
import { PlaceInList } from './place-in-list.tsx';
import { usePendingChange } from './pending.ts';
import { firstVisible, type UnitTarget } from './unit-target.ts';
import { useUnitCommands } from './unit-commands.ts';
import './verbs.css';

const inBar: readonly string[] = ['acknowledge', 'assignToMe', 'resolve', 'reopen', 'note'];

interface UnitActionsProps {
  unit: PanelWorkUnit;
  /** Shows the composer of notes and gives it the focus. */
  onNote: () => void;
}

export function UnitActions({ unit, onNote }: UnitActionsProps) {
  const commandsOf = useUnitCommands();
  const changeType = useChangeType(unit);
  const pending = usePendingChange(unit.workUnitId);
  const target: UnitTarget = {
    count: 1,
    shown: [unit],
    all: () => Promise.resolve([unit]),
    anchor: () => firstVisible(...document.querySelectorAll('.unit-actions [aria-haspopup]')),
    note: onNote,
  };
  const commands = commandsOf(target);
  const { isWatching, isBusy, isLoaded, toggle } = useWatching(unit.workUnitId);
  const watch: PageCommand = {
    id: 'watch',
    label: isWatching ? watcherTexts.unwatch : watcherTexts.watch,
    icon: 'eye',
    key: 'w',
    run: toggle,
  };
  const mayWatch = isLoaded && !isBusy && !currentImpersonation();
  usePageCommands(() => {
    // A row of the list that has the focus is meant instead.
    const row = focusPlace()?.closest('tr[data-row], li[data-entry]');
    if (row && !row.closest('.side-panel')) return undefined;
    return { title: `#${unit.publicWorkUnitId} ${unit.title}`, commands: mayWatch ? [...commands, watch] : commands };
  });
  if (commands.length === 0) return null;
  const others = commands.filter(({ id, onlyTyped }) => !inBar.includes(id) && onlyTyped !== true);
  return (
    <div className="unit-actions" role="toolbar" aria-label={t.bar}>
      {pending && (
        <Button small disabled aria-busy>
          {pending.text}
        </Button>
      )}
      {commands
        .filter(({ id }) => inBar.includes(id))
        .map(({ id, label, icon, key, run }) =>
          pending && id !== 'note' ? null : (
            <Button key={id} small look={id === 'acknowledge' ? 'primary' : 'plain'} icon={icon} aria-keyshortcuts={key} onClick={run}>
              {label}
              {key && <kbd aria-hidden>{key.toUpperCase()}</kbd>}
            </Button>
          ),
        )}
      <MenuButton
        small
        icon="more"
        look="quiet"
        label={t.more}
        entries={[
          ...others.map(({ id, label, icon, key, run }) => ({ id, label, icon, key, run })),
          { id: 'next', label: t.next, icon: 'down', key: 'j', divided: true, run: () => void runPageKey('j') },
          { id: 'previous', label: t.previous, icon: 'sortUp', key: 'k', run: () => void runPageKey('k') },
          { id: 'change-type', label: workUnitPanelTexts.changeType.entry, icon: 'refresh', divided: true, run: changeType },
        ]}
      />
      <PlaceInList id={unit.workUnitId} />
    </div>
  );
}
