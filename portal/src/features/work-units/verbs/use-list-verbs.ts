/** The verbs of a list of work units: on its selection, on the row that has the focus, and to the next unit of an open panel. */
import { oneOf } from '@cloudfit/contract/query/build.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { unitVerbTexts as t } from '@cloudfit/contract/messages/unit-verbs.en.ts';
import { focusPlace, usePageCommands, type PageCommand } from '../../../hooks/page-commands.ts';
import { useFocusOnNext } from '../../../hooks/use-focus-on-next.ts';
import { useStep } from '../../../hooks/use-step.ts';
import { clearSelection } from '../../../hooks/use-selection.ts';
import { fetchPage } from '../../../rows/use-rows.ts';
import type { PanelWorkUnit } from '../work-unit.rules.ts';
import { workUnitExpand } from '../panel/use-work-unit.ts';
import type { ChoiceKind } from './choice.ts';
import { firstVisible, focusNote, type UnitTarget } from './unit-target.ts';
import { useUnitCommands } from './unit-commands.ts';

/** Number of ids in one filter. */
const atOnce = 200;

async function readUnits(ids: readonly number[]): Promise<readonly PanelWorkUnit[]> {
  const parts = Array.from({ length: Math.ceil(ids.length / atOnce) }, (_, at) => ids.slice(at * atOnce, (at + 1) * atOnce));
  const pages = await Promise.all(
    parts.map((part) => fetchPage(workUnits, { filter: oneOf(workUnits, 'workUnitId', part), expand: workUnitExpand, top: atOnce })),
  );
  return pages.flatMap(({ rows }) => rows);
}

const rowOf = (element: Element | null) => {
  const row = element?.closest<HTMLElement>('tr[data-row]');
  return row && !row.closest('.side-panel, [role="dialog"]') ? row : undefined;
};

interface ListVerbs<Unit extends PanelWorkUnit> {
  rows: readonly Unit[];
  /** The keys of the selected rows, on all pages of the list. */
  selected: readonly string[];
  /** The unit in the panel. */
  openId: string | null;
  open: (unit: Unit) => void;
}

/** Gives the focus to the next row; to the first when no row has it. */
function moveFocus(by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('tr[data-row]')];
  rows[rows.findIndex((row) => row.contains(focusPlace())) + by]?.focus();
}

/** Offers the verbs to the keys and the palette. Returns those of the selection, for its menu. */
export function useListVerbs<Unit extends PanelWorkUnit>({ rows, selected, openId, open }: ListVerbs<Unit>): readonly PageCommand[] {
  const commandsOf = useUnitCommands();
  useFocusOnNext(
    rows.map(({ workUnitId }) => String(workUnitId)),
    (element) => rowOf(element)?.dataset['row'],
    (key) => [...document.querySelectorAll<HTMLElement>('tr[data-row]')].find((row) => row.dataset['row'] === key),
    openId,
  );
  const nextKey = useStep(
    rows.map(({ workUnitId }) => String(workUnitId)),
    openId,
  );
  const step = (by: 1 | -1) => {
    const key = nextKey(by);
    const next = rows.find(({ workUnitId }) => String(workUnitId) === key);
    if (next) open(next);
  };
  const inSelection = new Set(selected);
  const selection = (): UnitTarget => {
    const shown = rows.filter(({ workUnitId }) => inSelection.has(String(workUnitId)));
    const shownIds = new Set(shown.map(({ workUnitId }) => workUnitId));
    const missing = selected.map(Number).filter((id) => !shownIds.has(id));
    return {
      count: selected.length,
      shown,
      all: async () => [...shown, ...(missing.length > 0 ? await readUnits(missing) : [])],
      anchor: () => firstVisible(...document.querySelectorAll('[data-acts] button')),
      onLeft: () => clearSelection(workUnits.name),
    };
  };
  const single = (unit: Unit, row: HTMLElement): UnitTarget => ({
    count: 1,
    shown: [unit],
    all: () => Promise.resolve([unit]),
    anchor: (kind: ChoiceKind) => firstVisible(row.querySelector(`[data-choice="${kind}"]`), row.querySelector('a'), row),
    note: () => {
      open(unit);
      focusNote();
    },
  });
  usePageCommands(() => {
    const row = rowOf(focusPlace());
    if (openId !== null && !row) return undefined;
    if (selected.length > 0) return { title: t.target(selected.length), commands: commandsOf(selection()) };
    const unit = row && rows.find(({ workUnitId }) => String(workUnitId) === row.dataset['row']);
    return unit && { title: `#${unit.publicWorkUnitId} ${unit.title}`, commands: commandsOf(single(unit, row)) };
  });
  const move = openId === null ? moveFocus : step;
  usePageCommands(() => ({
    title: t.list,
    commands: [
      { id: 'next', label: t.next, icon: 'down', key: 'j', run: () => move(1) },
      { id: 'previous', label: t.previous, icon: 'sortUp', key: 'k', run: () => move(-1) },
    ],
  }));
  return selected.length > 0 ? commandsOf(selection()) : [];
}
