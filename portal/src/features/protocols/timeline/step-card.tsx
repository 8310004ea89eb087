import { useId, useState, type KeyboardEvent } from 'react';
import { protocolTexts } from '@cloudfit/contract/messages/protocols.en.ts';
import { builtInAction } from '@cloudfit/contract/enums.ts';
import { notifyTarget, type NotifyParameters } from '@cloudfit/contract/protocols/notify.ts';
import { secondsOf } from '@cloudfit/contract/protocols/timeline.ts';
import { durationText } from '../../../components/chart/number-text.ts';
import { Button, IconButton } from '../../../components/button.tsx';
import { Chip } from '../../../components/chips.tsx';
import { Icon } from '../../../components/icon.tsx';
import { useRowName } from '../../../forms/use-row-name.ts';
import { StepFields } from './step-fields.tsx';
import { secondsAfter, type ActionsById, type TimelineStep, type StepProblems } from './steps.ts';
import type { StepsState } from './use-steps.ts';
import type { StepWarning } from './use-simulation.ts';

const t = protocolTexts.timeline;

const time = (text: unknown): string =>
  typeof text === 'string' && /^\d+:\d\d:\d\d$/.test(text) ? durationText(secondsOf(text)) : String(text);
const list = (values: unknown): readonly string[] => (Array.isArray(values) ? values.map(String) : []);

/** When a step runs, in words for people. */
export function whenOf(step: TimelineStep): string {
  return secondsAfter(step) === 0 ? t.atOnce : t.after(durationText(secondsAfter(step)));
}

/** Whom a closed step of Notify notifies; nothing for other steps. */
function Whom({ step: { values, parameters } }: { step: TimelineStep }) {
  const target = values.actionDefinitionId === builtInAction.notify ? notifyTarget(parameters as NotifyParameters) : undefined;
  const isNamed = typeof target === 'object' && (target.whom === 'Person' || target.whom === 'Schedule');
  const [ref, key] =
    typeof target === 'object' && target.whom === 'Schedule'
      ? ['onCallSchedules', target.scheduleId]
      : ['people', typeof target === 'object' && target.whom === 'Person' ? target.personId : ''];
  const { data: name } = useRowName(ref, key, isNamed);
  if (typeof target !== 'object') return null;
  const whom = t.whom[target.whom](isNamed ? (name ?? '') : target.whom === 'Group' ? target.group : '');
  return <span className="ellipsis muted">{whom} </span>;
}

/** Facts of a step besides its time and action: conditions, repetition, when it stops, and what follows a failure or delay. */
function factsOf({ values }: TimelineStep): readonly string[] {
  const only = [...list(values.onlySeverities), ...list(values.onlyStates)].join(', ');
  if (values.runAutomatically !== true) return only === '' ? [] : [only];
  const isPlanned = values.wait !== null && values.wait !== '';
  return [
    only,
    values.repeatEvery && values.repeatTimes ? t.repeats(String(values.repeatTimes), time(values.repeatEvery)) : '',
    isPlanned ? t.stops[values.stopWhen as keyof typeof t.stops] : '',
    t.failure[values.onFailure as keyof typeof t.failure],
    t.late[values.onLate as keyof typeof t.late]?.(time(values.lateAfter)),
  ].filter((text) => text !== '' && text !== undefined);
}

interface StepCardProps {
  step: TimelineStep;
  name: string;
  state: StepsState;
  definitions: ActionsById;
  tenantId: string | null;
  readOnly: boolean;
  mayRemove: boolean;
  knownAction: string | undefined;
  problems: StepProblems | undefined;
  warnings: readonly StepWarning[];
  /** Moves the step by one place; undefined for the first step (`up`) or the last step (`down`). */
  up: (() => void) | undefined;
  down: (() => void) | undefined;
  drag: { key: string | undefined; start: (key: string | undefined) => void; drop: (target: string, side: 'before' | 'after') => void };
}

/** One step on the timeline: its time, action and facts; when it is open, its form. */
export function StepCard({ step, name, state, warnings, problems, up, down, drag, readOnly, mayRemove, ...fields }: StepCardProps) {
  const { key, values } = step;
  const id = useId();
  const [over, setOver] = useState<'before' | 'after'>();
  const isOpen = state.open.has(key);
  const hasProblem = problems !== undefined && Object.keys(problems).length > 0;
  const onArrow = (event: KeyboardEvent) => {
    const move = { ArrowUp: up, ArrowDown: down }[event.key];
    if (!move) return;
    event.preventDefault();
    move();
  };
  if (step.removed)
    return (
      <li className="step removed" data-step={key}>
        <span className="muted grow">{t.removed(name)}</span>
        <Button small icon="undo" aria-label={t.undoOf(name)} onClick={() => state.setRemoved(key, false)}>
          {t.undo}
        </Button>
      </li>
    );
  return (
    <li
      className={`step ${over ? `drop-${over}` : ''} ${hasProblem ? 'wrong' : ''}`}
      data-step={key}
      onKeyDown={(event) => {
        if (event.altKey && !readOnly) onArrow(event);
      }}
      onDragOver={(event) => {
        if (drag.key === undefined || drag.key === key) return;
        event.preventDefault();
        const { top, height } = event.currentTarget.getBoundingClientRect();
        setOver(event.clientY < top + height / 2 ? 'before' : 'after');
      }}
      onDragLeave={() => setOver(undefined)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(undefined);
        drag.drop(key, over ?? 'after');
      }}
    >
      <div className="step-head">
        {!readOnly && (
          <button
            type="button"
            className="btn small square quiet step-handle"
            aria-label={t.move(name)}
            title={t.move(name)}
            draggable
            onDragStart={(event) => {
              event.dataTransfer.effectAllowed = 'move';
              event.dataTransfer.setData('text/plain', key);
              drag.start(key);
            }}
            onDragEnd={() => drag.start(undefined)}
            onKeyDown={(event) => {
              if (!event.altKey) onArrow(event);
            }}
          >
            <Icon name="menu" />
          </button>
        )}
        <button
          type="button"
          className="step-title"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => state.setIsOpen(key, !isOpen)}
        >
          <span className="visually-hidden">{t.expand} </span>
          <span className="step-time num">{whenOf(step)} </span>
          <strong className="ellipsis">{name} </strong>
          {!isOpen && <Whom step={step} />}
          <span className="grow" />
          <Chip tone={values.runAutomatically === true ? 'info' : 'warn'} dot>
            {values.runAutomatically === true ? t.automatic : t.approval}
          </Chip>
          <Icon name={isOpen ? 'down' : 'right'} />
        </button>
        {mayRemove && <IconButton small icon="trash" label={t.removeOf(name)} onClick={() => state.setRemoved(key, true)} />}
      </div>
      {!isOpen && factsOf(step).length > 0 && <p className="step-facts faint">{factsOf(step).join(' · ')}</p>}
      {warnings.map(({ never, reason }) => (
        <p key={reason} className={`step-warning ${never ? 'never' : ''}`}>
          <Icon name="warning" /> {never ? t.never(reason) : reason}
        </p>
      ))}
      <div id={id} hidden={!isOpen}>
        {isOpen && (
          <>
            <StepFields step={step} state={state} readOnly={readOnly} problems={problems} {...fields} />
            {!readOnly && (
              <div className="row step-tools">
                <Button small icon="sortUp" disabled={!up} onClick={up}>
                  {t.moveUp}
                </Button>
                <Button small icon="sortDown" disabled={!down} onClick={down}>
                  {t.moveDown}
                </Button>
              </div>
            )}
          </>
        )}
      </div>
    </li>
  );
}
