/** The health of the installation: checks against their objectives, queues per tenant, servers, database, outages. */
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { RunKind } from '@cloudfit/contract/actions/installation-work.ts';
import type { InstallationHealth } from '@cloudfit/contract/actions/notices.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { installationTexts as t } from '@cloudfit/contract/messages/installation.en.ts';
import { countText } from '../../components/count.ts';
import { useInstallationHealth } from '../../api/installation.ts';
import { useMay } from '../../api/lookups.ts';
import { Chip, type Tone } from '../../components/chips.tsx';
import { usePageTitle } from '../../components/page-title.ts';
import { span } from '../../components/relative-time.tsx';
import { clockTime, exactTime } from '../../theme/times.ts';
import { sizeText } from '../../components/size-text.ts';
import { Skeleton } from '../../components/states.tsx';
import { checksOf, type CheckLevel } from './checks.ts';
import { InstallationActions, StartButton, useRuns, type Runs } from './work.tsx';
import { isDenied, LoadFailure } from '../../rows/load-failure.tsx';
import { ColumnHeads } from '../../components/table/column-heads.tsx';
import './installation.css';

const tones: Record<CheckLevel, Tone> = { ok: 'ok', attention: 'warn', bad: 'danger' };
const size = (bytes: number | null) => (bytes === null ? en.common.none : sizeText(bytes));

function Card({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="health-card" aria-label={title}>
      <h3>{title}</h3>
      {children}
    </section>
  );
}

/** What a check offers to do when it is not well. */
const remedies: Readonly<Record<string, RunKind>> = { backup: 'backup', restore: 'drill' };

function Checks({ health, runs }: { health: InstallationHealth; runs: Runs }) {
  return (
    <ul className="health-checks" aria-label={t.checks}>
      {checksOf(health).map(({ id, label, value, objective, level }) => (
        <li key={id}>
          <Chip tone={tones[level]} dot>
            {t[level]}
          </Chip>
          <b>{label}</b>
          <span className="health-value">
            {value} {level !== 'ok' && remedies[id] && <StartButton runs={runs} kind={remedies[id]} small />}
          </span>
          <span className="faint">{t.objective(objective)}</span>
        </li>
      ))}
    </ul>
  );
}

function Queues({ queues }: { queues: InstallationHealth['queues'] }) {
  const texts = t.tenants;
  if (queues.length === 0) return <p className="muted">{texts.none}</p>;
  return (
    <div className="health-scroll" tabIndex={0} role="group" aria-label={texts.title}>
      <table className="health-table">
        <ColumnHeads names={[texts.tenant, texts.oldest, texts.waiting, texts.calls, texts.dead, texts.unsent]} />
        <tbody>
          {queues.map((queue) => (
            <tr key={queue.tenantId ?? ''}>
              <th scope="row">
                {queue.tenantId ? <Link to={`/${queue.tenantId}/activity`}>{queue.tenantName ?? queue.tenantId}</Link> : texts.installation}
              </th>
              <td>{queue.oldestSeconds > 0 ? span(queue.oldestSeconds * 1_000) : en.common.none}</td>
              <td>{queue.waiting}</td>
              <td>{queue.callsWaiting}</td>
              <td>{queue.deadLetters}</td>
              <td>
                {queue.tenantId && queue.keptMails > 0 ? <Link to={`/${queue.tenantId}/outbox`}>{queue.keptMails}</Link> : queue.keptMails}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Servers({ processes }: { processes: InstallationHealth['processes'] }) {
  const texts = t.processes;
  return (
    <div className="health-scroll" tabIndex={0} role="group" aria-label={texts.title}>
      <table className="health-table">
        <ColumnHeads names={[texts.host, texts.version, texts.role, texts.since, texts.memory, texts.lag]} />
        <tbody>
          {processes.map(({ host, version, role, vitals }) => (
            <tr key={host}>
              <th scope="row">{host}</th>
              <td>{version}</td>
              <td>{vitals?.name ?? role}</td>
              <td>{vitals ? exactTime(vitals.startedAt) : en.common.none}</td>
              <td>{size(vitals?.memoryBytes ?? null)}</td>
              <td>{vitals ? texts.milliseconds(countText(vitals.lagMs)) : en.common.none}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Stream({ partitions }: NonNullable<InstallationHealth['stream']>) {
  const texts = t.partitions;
  return (
    <div className="health-scroll" tabIndex={0} role="group" aria-label={texts.title}>
      <table className="health-table">
        <ColumnHeads names={[texts.partition, texts.waiting, texts.oldest, texts.size, texts.process]} />
        <tbody>
          {partitions.map(({ partition, waiting, oldestSeconds, bytes, process }) => (
            <tr key={partition}>
              <th scope="row">{partition}</th>
              <td>{countText(waiting)}</td>
              <td>{oldestSeconds > 0 ? span(oldestSeconds * 1_000) : en.common.none}</td>
              <td>{sizeText(bytes)}</td>
              <td>{process ?? texts.nobody}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function DatabaseFacts({ database }: { database: InstallationHealth['database'] }) {
  const texts = t.database;
  const { open, idle, waiting } = database.connections;
  const facts: readonly (readonly [string, string])[] = [
    [texts.version, database.version],
    [texts.bytes, size(database.bytes)],
    [texts.wal, size(database.walBytes)],
    [texts.connections, texts.connectionsValue(open, idle, waiting)],
  ];
  return (
    <>
      <dl className="health-facts">
        {facts.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <table className="health-table">
        <ColumnHeads names={[texts.table, texts.rows, texts.size]} />
        <tbody>
          {database.tables.map((table) => (
            <tr key={table.name}>
              <th scope="row">{table.name}</th>
              <td>{countText(Math.round(table.rows))}</td>
              <td>{sizeText(table.bytes)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

function Outages({ outages }: { outages: InstallationHealth['outages'] }) {
  if (outages.length === 0) return <p className="muted">{t.outages.none}</p>;
  return outages.map(({ from, until }) => (
    <p key={from} className="num">
      {t.outages.entry(exactTime(from), span(Date.parse(until) - Date.parse(from)))}
    </p>
  ));
}

export function InstallationPage() {
  usePageTitle(t.title);
  const health = useInstallationHealth(useMay()('Settings', 'edit'));
  const { data, error } = health;
  const runs = useRuns(data !== undefined);
  if (error && (isDenied(error) || !data)) return <LoadFailure query={health} failed={t.failed} denied={t.forbidden} />;
  if (!data)
    return (
      <div className="health-page">
        <Skeleton width="60%" />
      </div>
    );
  const problems = checksOf(data).filter((check) => check.level !== 'ok').length;
  return (
    <div className="health-page">
      <div className="row health-head">
        <h2>{t.heading}</h2>
        <Chip tone={problems > 0 ? 'warn' : 'ok'} dot>
          {problems > 0 ? t.notWell(problems) : t.well}
        </Chip>
        <span className="grow" />
        <span className="faint num">{t.at(clockTime(data.at))}</span>
      </div>
      <section className="health-card" aria-label={t.checks}>
        <Checks health={data} runs={runs} />
      </section>
      <InstallationActions runs={runs} />
      <Card title={t.tenants.title}>
        <Queues queues={data.queues} />
      </Card>
      {data.stream && data.stream.partitions.length > 0 && (
        <Card title={t.partitions.title}>
          <Stream {...data.stream} />
        </Card>
      )}
      <div className="health-two">
        <Card title={t.processes.title}>
          <Servers processes={data.processes} />
        </Card>
        <Card title={t.database.title}>
          <DatabaseFacts database={data.database} />
        </Card>
      </div>
      <Card title={t.outages.title}>
        <Outages outages={data.outages} />
      </Card>
    </div>
  );
}
