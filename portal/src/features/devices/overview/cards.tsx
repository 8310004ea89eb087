/** The cards beside the charts of a device. */
import { useState, type ReactNode } from 'react';
import { Link } from 'react-router';
import { deviceTexts } from '@cloudfit/contract/messages/devices.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { useMay } from '../../../api/lookups.ts';
import { Chip, SeverityChip } from '../../../components/chips.tsx';
import { numberText } from '../../../components/chart/number-text.ts';
import { RelativeTime } from '../../../components/relative-time.tsx';
import { clockTime } from '../../../theme/times.ts';
import { Skeleton } from '../../../components/states.tsx';
import { matchAddress, unitAddress } from '../../../entities/explanations/addresses.ts';
import { WhyLink } from '../../../entities/explanations/why-link.tsx';
import { toneOfRun } from '../../../entities/run-status.ts';
import { referencedName } from '../../../rows/cells.tsx';
import { labelOf } from '../../../rows/row.ts';
import { useRow } from '../../../rows/use-rows.ts';
import { devices } from '@cloudfit/contract/resources/devices.ts';
import { choiceText } from '@cloudfit/contract/messages/choices.en.ts';
import { Tags } from '../tags.tsx';
import { useInstallations, type Install } from '../use-installations.ts';
import type { Device } from '../use-device.ts';
import { usePacket } from '../use-packet.ts';
import { inventoryOf, type Inventory } from './inventory.rules.ts';
import { useLastLines, useOpenMatches, useOpenUnits, useOperationsOf } from './use-overview.ts';

const t = deviceTexts.overview;

interface CardProps {
  title: string;
  hint?: ReactNode;
  /** Opens the tab that shows all that the card summarizes. */
  onAll?: (() => void) | undefined;
  children: ReactNode;
}

export function Card({ title, hint, onAll, children }: CardProps) {
  return (
    <section className="overview-card" aria-label={title}>
      <header>
        <h3>{title}</h3>
        {hint && <small className="faint">{hint}</small>}
        <span className="grow" />
        {onAll && (
          <button type="button" className="link" aria-label={t.allOf(title)} onClick={onAll}>
            {t.all}
          </button>
        )}
      </header>
      {children}
    </section>
  );
}

/** The card with the open work units and open matches. */
export function NowCard({ device }: { device: Device }) {
  const may = useMay();
  const { data: matches } = useOpenMatches(device.deviceId);
  const { data: units } = useOpenUnits(device.deviceId);
  const isQuiet = (!may('Rules', 'view') || matches) && (!may('WorkUnits', 'view') || units);
  return (
    <Card title={t.now}>
      {units?.rows.map((unit) => (
        <p key={unit.workUnitId} className="line">
          <SeverityChip value={unit.severityId} />
          <Link to={unitAddress(unit.workUnitId)}>#{unit.publicWorkUnitId}</Link>
          <span className="ellipsis grow" title={unit.title}>
            {unit.title}
          </span>
          <RelativeTime plain value={unit.created} />
        </p>
      ))}
      {matches?.rows.map((match) => (
        <p key={match.ruleMatchId} className="line">
          <Chip tone="danger" dot>
            {en.matches.active}
          </Chip>
          <Link className="ellipsis" to={matchAddress(match.tenantId, match.ruleMatchId)} title={match.rule?.name ?? match.label}>
            {match.rule?.name ?? match.label}
          </Link>
          <span className="ellipsis grow muted" title={t.matched(match.matchCount)}>
            {t.matched(match.matchCount)}, <RelativeTime value={match.lastMatch} />
          </span>
          <WhyLink to={matchAddress(match.tenantId, match.ruleMatchId)} of={match.label} />
        </p>
      ))}
      {isQuiet && !matches?.rows.length && !units?.rows.length && <p className="muted">{t.nothingOpen}</p>}
    </Card>
  );
}

export function OperationsCard({ deviceId, onAll }: { deviceId: string; onAll: (() => void) | undefined }) {
  const { operations, runOf } = useOperationsOf(deviceId);
  return (
    <Card title={t.operations} hint={t.operationsHint} onAll={onAll}>
      {!operations && <Skeleton width="60%" />}
      {operations?.length === 0 && <p className="muted">{t.noOperations}</p>}
      {operations?.map((operation) => {
        const run = runOf(operation.deviceOperationId);
        return (
          <p key={operation.deviceOperationId} className="line">
            {run ? (
              <Chip tone={toneOfRun(run.status)} dot>
                {choiceText(run.status)}
              </Chip>
            ) : (
              <Chip>{en.common.none}</Chip>
            )}
            <b className="ellipsis">{operation.label}</b>
            <span className="ellipsis grow muted" title={run?.message ?? run?.value ?? undefined}>
              {run?.message ?? run?.value}
            </span>
            {run && <RelativeTime value={run.ended ?? run.started} />}
          </p>
        );
      })}
    </Card>
  );
}

function Facts({ facts }: { facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="overview-facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Returns the inventory in the latest packet of the device's operation of the package Inventory. */
export function useInventory(deviceId: string): Inventory | undefined {
  const { operations } = useOperationsOf(deviceId);
  const operation = operations?.find(({ packageName }) => packageName === 'Inventory');
  const { data } = usePacket(operation?.deviceOperationId);
  return data ? inventoryOf(data.message) : undefined;
}

export function MachineCard({ device }: { device: Device }) {
  const inventory = useInventory(device.deviceId);
  const { data: packet } = usePacket(device.deviceId);
  const location = referencedName(devices, 'locationId', device);
  const parent = useRow(devices, device.parentDeviceId ?? '', { enabled: Boolean(device.parentDeviceId) }).data;
  const properties = packet?.message.Properties ?? {};
  const facts: (readonly [string, ReactNode])[] = [
    ...(inventory?.facts ?? []).map(([name, value]) => [t.facts[name] ?? name, value] as const),
    ...(inventory?.processors
      ? [[t.hardware, t.hardwareText(String(inventory.processors), numberText(inventory.memoryBytes ?? 0, 'bytes'))] as const]
      : []),
    ...(inventory && inventory.addresses.length > 0 ? [[t.addresses, inventory.addresses.join(', ')] as const] : []),
    ...(inventory ? [] : Object.entries(properties).map(([name, value]) => [t.facts[name] ?? name, String(value)] as const)),
    ...(location ? [[t.location, location] as const] : []),
    ...(parent
      ? [
          [
            labelOf(devices, 'parentDeviceId'),
            <Link key="parent" to={`/${parent.tenantId}/devices?id=${parent.deviceId}`}>
              {parent.name}
            </Link>,
          ] as const,
        ]
      : []),
    ...(device.tags ? [[deviceTexts.tags, <Tags key="tags" tags={device.tags} />] as const] : []),
  ];
  return (
    <Card title={t.machine}>
      {facts.length > 0 && <Facts facts={facts} />}
      {!inventory && <p className="muted">{t.noInventory}</p>}
    </Card>
  );
}

const versionText = ({ installPackage, packageVersions }: Install, id: string | null) =>
  packageVersions.find(({ packageVersionId }) => packageVersionId === id)?.version ?? (id ? installPackage.installStatus : undefined);

function SoftwareLine({ install }: { install: Install }) {
  const { installPackage } = install;
  const { packageName, installStatus, installedVersionId, packageVersionId, statusDetail, failure } = installPackage;
  const detail = statusDetail ?? failure;
  const [current, target] = [versionText(install, installedVersionId), versionText(install, packageVersionId)];
  const isFailed = installStatus.endsWith('Failed') || installStatus === 'RolledBack';
  const isDone = installStatus === 'Installed';
  return (
    <p className="line" {...(detail ? { title: detail } : {})}>
      <Chip tone={isFailed ? 'danger' : isDone ? 'ok' : 'info'} dot>
        {deviceTexts.installations.statuses[installStatus]}
      </Chip>
      <span className="ellipsis grow">{packageName}</span>
      <span className="num muted">
        {current !== undefined && target !== undefined && current !== target ? `${current} → ${target}` : (current ?? target)}
      </span>
    </p>
  );
}

const maxPrograms = 50;

function Programs({ programs }: { programs: Inventory['software'] }) {
  const [search, setSearch] = useState('');
  const words = search.trim().toLowerCase();
  const matching = programs.filter(({ name }) => name.toLowerCase().includes(words)).slice(0, maxPrograms);
  return (
    <details className="programs">
      <summary>{t.installed(programs.length)}</summary>
      <input
        className="input"
        type="search"
        aria-label={t.search}
        placeholder={t.search}
        value={search}
        onChange={(event) => setSearch(event.target.value)}
      />
      <ul aria-label={t.software}>
        {matching.map(({ name, version }) => (
          <li key={`${name} ${version}`}>
            <span className="ellipsis grow">{name}</span>
            <span className="num muted">{version}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** The card with the packages that are or should be installed, and the software that the inventory lists. */
export function SoftwareCard({ deviceId, onAll }: { deviceId: string; onAll: () => void }) {
  const { data: installs } = useInstallations(deviceId);
  const inventory = useInventory(deviceId);
  const shown = installs?.value.filter(({ installPackage }) => installPackage.installStatus !== 'AvailableForInstall');
  return (
    <Card title={t.software} onAll={onAll}>
      {shown?.map((install) => (
        <SoftwareLine key={install.installPackage.packageId} install={install} />
      ))}
      {shown?.length === 0 && !inventory && <p className="muted">{t.noSoftware}</p>}
      {inventory && inventory.software.length > 0 && <Programs programs={inventory.software} />}
    </Card>
  );
}

export function LogCard({ deviceId, onAll }: { deviceId: string; onAll: () => void }) {
  const { data } = useLastLines(deviceId);
  return (
    <Card title={t.log} onAll={onAll}>
      {data?.value.length === 0 && <p className="muted">{t.noLog}</p>}
      <ul className="log-lines">
        {data?.value.map((entry) => (
          <li key={entry.logEntryId} className={entry.entryType === 'Error' ? 'danger' : entry.entryType === 'Warning' ? 'warn' : ''}>
            <span className="faint">{clockTime(entry.created)}</span> {entry.detail}
          </li>
        ))}
      </ul>
    </Card>
  );
}
