/** The verbs of work units as commands of the page: for their keys, the palette, the Actions menu and the bar of a unit. */
import { severities, workUnitStates } from '@cloudfit/contract/enums.ts';
import { reviewTexts } from '@cloudfit/contract/messages/incident-review.en.ts';
import { mergeTexts } from '@cloudfit/contract/messages/merge.en.ts';
import { snoozeTexts } from '@cloudfit/contract/messages/snooze.en.ts';
import { unitVerbTexts as t } from '@cloudfit/contract/messages/unit-verbs.en.ts';
import { choiceText } from '@cloudfit/contract/messages/choices.en.ts';
import { searchPeople, useCurrentUser, useMay } from '../../../api/lookups.ts';
import { toast } from '../../../components/toasts.tsx';
import { toastFailure } from '../../../hooks/toast-failure.ts';
import type { PageCommand } from '../../../hooks/page-commands.ts';
import { nextStates, type PanelWorkUnit } from '../work-unit.rules.ts';
import { openChoice, type ChoiceKind } from './choice.ts';
import { isOpen, type UnitTarget } from './unit-target.ts';
import type * as Verbs from './verbs.ts';

let code: typeof Verbs | undefined;
/** Loads the verbs, which no first view of the list needs. */
export const loadVerbs = async (): Promise<typeof Verbs> => (code ??= await import('./verbs.ts'));

type RunVerb = (verbs: typeof Verbs, units: readonly PanelWorkUnit[]) => unknown;

/** Reads the units and runs a verb on them. */
async function run(target: UnitTarget, verb: RunVerb): Promise<void> {
  try {
    const [verbs, units] = await Promise.all([loadVerbs(), target.all()]);
    await verb(verbs, units);
  } catch (error) {
    console.warn(error);
    toastFailure(error, t.loadFailed);
  }
}

/** Runs a verb after which the units are usually no longer in the list. */
function runLast(target: UnitTarget, verb: (...input: Parameters<RunVerb>) => Promise<boolean>): Promise<void> {
  return run(target, async (verbs, units) => {
    if (await verb(verbs, units)) target.onLeft?.();
  });
}

async function choose(target: UnitTarget, kind: ChoiceKind): Promise<void> {
  const anchor = target.anchor(kind);
  if (!anchor) return;
  await run(target, (_verbs, units) => {
    if (kind === 'assignmentGroup' && new Set(units.map(({ tenantId }) => tenantId)).size > 1) toast.warning(t.severalTenants);
    else openChoice({ kind, anchor, units });
  });
}

/** The commands of a target that make sense for it now, the usual ones first. */
function commandsOf(target: UnitTarget, me: string): PageCommand[] {
  const { shown, count, note } = target;
  // Of units that the page does not have, everything may make sense.
  const some = (test: (unit: PanelWorkUnit) => boolean) => shown.length < count || shown.some(test);
  const when = (isOffered: boolean, ...commands: PageCommand[]) => (isOffered ? commands : []);
  const save = (id: 'saveTimeline' | 'saveUnit', label: string): PageCommand => ({
    id,
    label,
    words: reviewTexts.verbWords,
    icon: 'download',
    run: () =>
      void run(target, async (_verbs, [unit]) => {
        if (unit) await (await import('../review/save-timeline.ts'))[id](unit.workUnitId);
      }),
  });
  const states = new Set(shown.flatMap(({ stateId }) => nextStates(stateId)));
  return [
    ...when(
      some(({ stateId }) => stateId === 'New'),
      {
        id: 'acknowledge',
        label: t.acknowledge,
        words: t.words.acknowledge,
        icon: 'check',
        key: 'a',
        run: () => void runLast(target, (verbs, units) => verbs.acknowledge(units, me)),
      },
    ),
    ...when(
      some(({ assignedTo }) => assignedTo !== me),
      {
        id: 'assignToMe',
        label: t.assignToMe,
        words: t.words.assignToMe,
        icon: 'person',
        key: 'm',
        run: () => void run(target, (verbs, units) => verbs.assign(units, me)),
      },
    ),
    ...when(some(isOpen), {
      id: 'resolve',
      label: t.resolve,
      words: t.words.resolve,
      icon: 'check',
      key: 'r',
      run: () => void runLast(target, (verbs, units) => verbs.resolve(units)),
    }),
    ...when(
      some((unit) => !isOpen(unit)),
      {
        id: 'reopen',
        label: t.reopen,
        words: t.words.reopen,
        icon: 'refresh',
        run: () => void run(target, (verbs, units) => verbs.reopen(units)),
      },
    ),
    ...(note ? [{ id: 'note', label: t.note, words: t.words.note, icon: 'edit', key: 'n', run: note } as const] : []),
    {
      id: 'severity',
      label: t.severity,
      words: t.words.severity,
      icon: 'warning',
      key: 's',
      run: () => void choose(target, 'severityId'),
    },
    { id: 'state', label: t.state, words: t.words.state, icon: 'sliders', run: () => void choose(target, 'stateId') },
    {
      id: 'assign',
      label: t.assignTo,
      words: t.words.assign,
      icon: 'person',
      run: () => void choose(target, 'assignedTo'),
      choices: { after: t.assignee, search: (text, signal) => peopleFor(target, text, signal) },
    },
    ...when(some(isOpen), {
      id: 'snooze',
      label: snoozeTexts.verb,
      words: snoozeTexts.words,
      icon: 'pending',
      key: 'z',
      run: () => void choose(target, 'snooze'),
    }),
    { id: 'group', label: t.group, icon: 'tenants', run: () => void choose(target, 'assignmentGroup') },
    ...when(count === 1, {
      id: 'link',
      label: t.link,
      icon: 'link',
      run: () => void run(target, (verbs, units) => units[0] && verbs.copyLink(units[0])),
    }),
    {
      id: 'merge',
      label: count === 1 ? mergeTexts.verb : mergeTexts.verbOfSeveral,
      words: mergeTexts.words,
      icon: 'link',
      run: () =>
        void (count === 1
          ? choose(target, 'mergeInto')
          : runLast(target, async (_verbs, units) => (await import('../merge/merge-units.ts')).mergeSeveral(units))),
    },
    ...when(count === 1, save('saveTimeline', reviewTexts.verb), save('saveUnit', reviewTexts.unitVerb)),
    ...severities.map((severity): PageCommand => ({
      id: `severity-${severity}`,
      label: t.severityAs(severity),
      words: t.words.severity,
      icon: 'warning',
      onlyTyped: true,
      run: () => void run(target, (verbs, units) => verbs.setSeverity(units, severity)),
    })),
    ...workUnitStates
      .filter((state) => state !== 'Resolved' && states.has(state))
      .map((state): PageCommand => ({
        id: `state-${state}`,
        label: t.stateAs(choiceText(state)),
        words: t.words.state,
        icon: 'sliders',
        onlyTyped: true,
        run: () => void run(target, (verbs, units) => verbs.setState(units, state)),
      })),
  ];
}

/** The people of a search, each as the command that assigns the units to them. */
async function peopleFor(target: UnitTarget, text: string, signal: AbortSignal): Promise<readonly PageCommand[]> {
  const people = await searchPeople(text, signal);
  return people.map(({ displayName, mail }) => ({
    id: `assign-${mail}`,
    label: t.assignToPerson(displayName),
    words: mail,
    icon: 'person',
    run: () => void run(target, (verbs, units) => verbs.assign(units, mail)),
  }));
}

/** Returns a function that makes the commands of a target; none for people who may not edit work units. */
export function useUnitCommands(): (target: UnitTarget) => readonly PageCommand[] {
  const { data: me } = useCurrentUser();
  const mayEdit = useMay()('WorkUnits', 'edit');
  return (target) => (me && mayEdit ? commandsOf(target, me.userName) : []);
}
