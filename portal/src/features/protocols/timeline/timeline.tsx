/** The steps of a protocol on a timeline, by event and time: added anywhere, edited in place, moved by pointer or keyboard. */
import { useEffect, useRef, useState } from 'react';
import { protocolTexts } from '@cloudfit/contract/messages/protocols.en.ts';
import { Button } from '../../../components/button.tsx';
import { Icon } from '../../../components/icon.tsx';
import { MenuButton } from '../../../components/overlay/menu-button.tsx';
import { StepCard, whenOf } from './step-card.tsx';
import { eventName, eventOrder, groupsOf, neighbourOf, place, type ActionsById, type TimelineStep } from './steps.ts';
import type { ProblemsOfSteps, StepsState } from './use-steps.ts';
import type { StepWarning } from './use-simulation.ts';
import './timeline.css';

const t = protocolTexts.timeline;

interface TimelineProps {
  state: StepsState;
  nameOf: (step: TimelineStep) => string;
  knownActionOf: (step: TimelineStep) => string | undefined;
  definitions: ActionsById;
  tenantId: string | null;
  readOnly: boolean;
  mayCreate: boolean;
  mayDelete: boolean;
  problems: ProblemsOfSteps;
  warnings: ReadonlyMap<string, readonly StepWarning[]>;
}

export function Timeline({
  state,
  nameOf,
  knownActionOf,
  definitions,
  tenantId,
  readOnly,
  mayCreate,
  mayDelete,
  problems,
  warnings,
}: TimelineProps) {
  const { steps } = state;
  const line = useRef<HTMLDivElement>(null);
  const [dragged, setDragged] = useState<string>();
  const [message, setMessage] = useState('');
  const [added, setAdded] = useState<string>();
  useEffect(() => {
    if (!added) return;
    line.current?.querySelector<HTMLElement>(`[data-step="${added}"] .step-fields input`)?.focus();
  }, [added]);

  const add = (event: number, after?: TimelineStep) => setAdded(state.add(event, after));
  const move = (key: string, target: string, side: 'before' | 'after') => {
    state.move(key, target, side);
    const next = place(steps, key, target, side).filter((item) => !item.removed);
    const step = next.find((candidate) => candidate.key === key);
    const group = groupsOf(next).find((group) => group.event === step?.values.workUnitEventTypeId)?.steps ?? [];
    if (step) setMessage(t.moved(nameOf(step), whenOf(step), group.findIndex((candidate) => candidate.key === key) + 1, group.length));
  };
  const mover = (key: string, by: -1 | 1) => {
    const neighbour = neighbourOf(steps, key, by);
    return neighbour && (() => move(key, neighbour.key, by < 0 ? 'before' : 'after'));
  };
  const groups = groupsOf(steps);
  const shown = groups.length > 0 || readOnly ? groups : [{ event: eventOrder[0] ?? 1, steps: [] }];
  const others = eventOrder.filter((event) => !shown.some((group) => group.event === event));

  return (
    <div className="protocol-line" ref={line}>
      {groups.length === 0 && <p className="faint">{t.empty}</p>}
      {shown.map((group) => (
        <section key={group.event} aria-label={eventName(group.event)}>
          <h4>
            <i className="line-dot" aria-hidden />
            {eventName(group.event)}
          </h4>
          <ol>
            {group.steps.flatMap((step, at) => {
              const name = nameOf(step);
              return [
                <StepCard
                  key={step.key}
                  step={step}
                  name={name}
                  state={state}
                  definitions={definitions}
                  tenantId={tenantId}
                  readOnly={readOnly}
                  mayRemove={!readOnly && (mayDelete || step.isNew)}
                  knownAction={knownActionOf(step)}
                  problems={problems[step.key]}
                  warnings={step.removed ? [] : (warnings.get(step.key) ?? [])}
                  up={mover(step.key, -1)}
                  down={mover(step.key, 1)}
                  drag={{
                    key: dragged,
                    start: setDragged,
                    drop: (target, side) => {
                      if (dragged) move(dragged, target, side);
                      setDragged(undefined);
                    },
                  }}
                />,
                ...(mayCreate && at < group.steps.length - 1
                  ? [
                      <li key={`after ${step.key}`} className="step-between">
                        <button type="button" aria-label={t.addAfter(name)} title={t.addAfter(name)} onClick={() => add(group.event, step)}>
                          <Icon name="plus" />
                        </button>
                      </li>,
                    ]
                  : []),
              ];
            })}
          </ol>
          {mayCreate && (
            <Button
              small
              icon="plus"
              className="step-add"
              aria-label={t.addOn(eventName(group.event))}
              onClick={() => add(group.event, group.steps.at(-1))}
            >
              {t.add}
            </Button>
          )}
        </section>
      ))}
      {mayCreate && others.length > 0 && (
        <MenuButton
          small
          look="quiet"
          label={t.addFor}
          entries={others.map((event) => ({ id: String(event), label: eventName(event), run: () => add(event) }))}
        />
      )}
      <p className="visually-hidden" role="status">
        {message}
      </p>
    </div>
  );
}
