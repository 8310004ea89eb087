/** Simulates the steps for a unit of a severity that is opened at some time: what runs when, who is notified, what never runs. */
import { severities } from '@cloudfit/contract/enums.ts';
import { protocolTexts } from '@cloudfit/contract/messages/protocols.en.ts';
import type { Simulation } from '@cloudfit/contract/protocols/simulate.ts';
import { secondsOf } from '@cloudfit/contract/protocols/timeline.ts';
import { choiceText } from '@cloudfit/contract/messages/choices.en.ts';
import { failureText } from '../../../api/client.ts';
import { durationText } from '../../../components/chart/number-text.ts';
import { Chip } from '../../../components/chips.tsx';
import { Field } from '../../../components/field.tsx';
import { TextField } from '../../../components/fields/text-field.tsx';
import { Select } from '../../../components/fields/select.tsx';
import { ErrorNotice } from '../../../components/states.tsx';
import { viewerZone, zoneTime } from '../../../theme/times.ts';
import type { SimulationState } from './use-simulation.ts';
import './simulator.css';

const t = protocolTexts.simulation;

interface SimulatedStep {
  name: string | null;
  summary: string | null;
}

const nameOf = ({ name, summary }: SimulatedStep): string => summary ?? name ?? t.removed;

function Moment({ moment }: { moment: Simulation['timeline'][number] }) {
  const { at, event, stateId, after, runs, skipped, waits } = moment;
  return (
    <li>
      <span className="row">
        <strong className="num">{zoneTime(at)}</strong>
        <span className="muted grow">{after === null ? event : t.after(event, durationText(secondsOf(after)))}</span>
        <Chip>{choiceText(stateId)}</Chip>
      </span>
      <ul>
        {runs.map((step) => (
          <li key={step.protocolActionId}>
            {nameOf(step)} {step.to && <span className="muted">→ {step.to}</span>}
          </li>
        ))}
        {waits.map((step) => (
          <li key={step.protocolActionId}>
            {nameOf(step)} <span className="muted">{t.manual}</span>
          </li>
        ))}
        {skipped.map((step) => (
          <li key={step.protocolActionId} className="muted">
            {t.skipped(nameOf(step), step.reason)}
          </li>
        ))}
      </ul>
    </li>
  );
}

function Reasons({
  title,
  steps,
}: {
  title: string;
  steps: readonly (SimulatedStep & { protocolActionId: string; event: string; reason: string })[];
}) {
  if (steps.length === 0) return null;
  return (
    <section className="form-section" aria-label={title}>
      <h3>{title}</h3>
      <ul className="simulation">
        {steps.map((step) => (
          <li key={`${step.protocolActionId} ${step.event}`}>
            {nameOf(step)} <span className="muted">({step.event})</span>: {step.reason}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Result({ result }: { result: Simulation }) {
  const moments = result.timeline.filter(({ runs, waits, skipped }) => runs.length + waits.length + skipped.length > 0);
  return (
    <>
      <section className="form-section" aria-label={t.timeline}>
        <h3>{t.timeline}</h3>
        {moments.length === 0 && <p className="muted">{t.nothing}</p>}
        <ol className="simulation">
          {moments.map((moment) => (
            <Moment key={`${moment.at} ${moment.event} ${moment.after ?? ''}`} moment={moment} />
          ))}
        </ol>
        {result.more && <p className="muted">{t.more}</p>}
      </section>
      <Reasons title={t.withoutAddress} steps={result.withoutAddress} />
      <Reasons title={t.never} steps={result.unreachable.filter(({ never }) => never)} />
      <Reasons title={t.notHere} steps={result.unreachable.filter(({ never }) => !never)} />
    </>
  );
}

export function Simulator({ course, setCourse, data, error, isWaiting, isHeld }: SimulationState) {
  const times = [
    { label: t.start, name: 'start' },
    { label: t.acknowledged, name: 'acknowledged' },
    { label: t.resolved, name: 'resolved' },
  ] as const;
  return (
    <section className="simulation-body" aria-label={t.title} aria-busy={isWaiting}>
      <h3>{t.title}</h3>
      <p className="faint">{t.help}</p>
      <div className="form-grid">
        <Field label={t.severity}>
          {(aria) => (
            <Select
              {...aria}
              value={course.severityId}
              choices={severities.map((value) => ({ value, label: value }))}
              onChange={(severityId) => setCourse({ severityId })}
            />
          )}
        </Field>
        {times.map(({ label, name }) => (
          <TextField
            key={label}
            label={label}
            help={name === 'start' ? viewerZone() : t.mayBeEmpty}
            className="num"
            type="datetime-local"
            value={course[name]}
            onChange={(next) => setCourse({ [name]: next })}
          />
        ))}
      </div>
      {isHeld && <p className="notice">{t.paused}</p>}
      <ErrorNotice text={error && failureText(error)} />
      {data && <Result result={data} />}
    </section>
  );
}
