/** What a protocol would do for a unit of a severity that is opened at some time: what runs when, who is told, what never runs. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { severities } from '@cloudfit/contract/enums.ts';
import { protocolTexts } from '@cloudfit/contract/messages/protocols.en.ts';
import type { Simulation } from '@cloudfit/contract/protocols/simulate.ts';
import { callJson, failureText } from '../../api/client.ts';
import { Button } from '../../components/button.tsx';
import { Chip } from '../../components/chips.tsx';
import { Field } from '../../components/field.tsx';
import { viewerZone, zoneTime } from '../../entities/on-call/zone-time.ts';
import { useScope } from '../../rows/use-scope.ts';
import './simulation.css';

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
        <span className="muted grow">{after === null ? event : t.after(event, after)}</span>
        <Chip>{stateId}</Chip>
      </span>
      <ul>
        {runs.map((step) => (
          <li key={step.protocolActionId}>
            {nameOf(step)} {step.to && <span className="muted">→ {step.to}</span>}
          </li>
        ))}
        {waits.map((step) => (
          <li key={step.protocolActionId}>
            {nameOf(step)} <span className="muted">{t.byHand}</span>
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

/** The present minute in the form of the control. */
function localNow(): string {
  const now = new Date();
  return new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

export function SimulationTab({ row: { protocolId, tenantId } }: { row: { protocolId: string; tenantId: string | null } }) {
  const scope = useScope();
  const [severityId, setSeverity] = useState<string>('Sev1');
  const [start, setStart] = useState(localNow);
  const [acknowledged, setAcknowledged] = useState('');
  const [resolved, setResolved] = useState('');
  const course = [
    { stateId: 'Acknowledged', at: acknowledged },
    { stateId: 'Resolved', at: resolved },
  ];
  const simulation = useMutation({
    mutationFn: () =>
      callJson<Simulation>(`/v1/protocols/${protocolId}/simulate`, {
        method: 'POST',
        body: {
          severityId,
          start: new Date(start).toISOString(),
          states: course.flatMap(({ stateId, at }) => (at === '' ? [] : [{ stateId, at: new Date(at).toISOString() }])),
          ...(tenantId === null && scope.tenantId ? { tenantId: scope.tenantId } : {}),
        },
      }),
  });
  const times = [
    { label: t.start, value: start, change: setStart },
    { label: t.acknowledged, value: acknowledged, change: setAcknowledged },
    { label: t.resolved, value: resolved, change: setResolved },
  ];
  return (
    <div className="body simulation-body">
      <p className="faint">{t.help}</p>
      <div className="form-grid">
        <Field label={t.severity}>
          {(aria) => (
            <select className="input" {...aria} value={severityId} onChange={(event) => setSeverity(event.target.value)}>
              {severities.map((severity) => (
                <option key={severity} value={severity}>
                  {severity}
                </option>
              ))}
            </select>
          )}
        </Field>
        {times.map(({ label, value, change }) => (
          <Field key={label} label={label} help={viewerZone()}>
            {(aria) => (
              <input className="input num" type="datetime-local" {...aria} value={value} onChange={(event) => change(event.target.value)} />
            )}
          </Field>
        ))}
      </div>
      <Button look="primary" disabled={start === '' || simulation.isPending} onClick={() => simulation.mutate()}>
        {t.run}
      </Button>
      {simulation.error && (
        <p className="notice error" role="alert">
          {failureText(simulation.error)}
        </p>
      )}
      {simulation.data && <Result result={simulation.data} />}
    </div>
  );
}
