/** The settings of a tile: its title, and for numbers and charts what they show. */
import { useState } from 'react';
import { useQueries, useQuery } from '@tanstack/react-query';
import { chartTexts } from '@cloudfit/contract/messages/charts.en.ts';
import { dashboardTexts } from '@cloudfit/contract/messages/dashboards.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { and, eq } from '@cloudfit/contract/query/build.ts';
import { deviceOperations } from '@cloudfit/contract/resources/device-operations.ts';
import {
  dashboardLimits,
  isOfDevices,
  isRepeatable,
  variableIn,
  variableKinds,
  type DashboardTile,
  type TileScope,
  type TileSeries,
  type VariableKind,
} from '@cloudfit/contract/resources/dashboards.ts';
import { devices } from '@cloudfit/contract/resources/devices.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { ComboBox, type ComboChoice } from '../../components/combo-box.tsx';
import { Field } from '../../components/field.tsx';
import { Checkbox } from '../../components/fields/checkbox.tsx';
import { TextField } from '../../components/fields/text-field.tsx';
import { Select } from '../../components/fields/select.tsx';
import { Dialog } from '../../components/overlay/floating.tsx';
import { metricsQuery } from '../../entities/series/use-series.ts';
import { rangeMs } from '../../entities/series/use-time-range.ts';
import { useDebounced } from '../../hooks/use-debounced.ts';
import { fetchPage, useList } from '../../rows/use-rows.ts';
import { VariablePicker, withoutEmpty } from './variables.tsx';

const t = dashboardTexts.tile;
const scopeTexts = dashboardTexts.scope;
const shownDevices = 20;
const shownOperations = 20;

interface ReportedMetric {
  entityId: string;
  metric: string;
  label: string;
}

/** The numbers that a device and its operations report. */
function useReported(deviceId: string | undefined): { metrics: readonly ReportedMetric[]; isLoading: boolean } {
  const operations = useQuery({
    queryKey: [deviceOperations.name, 'names', deviceId],
    queryFn: ({ signal }) =>
      fetchPage(
        deviceOperations,
        {
          select: ['deviceOperationId', 'label'],
          filter: and(eq(deviceOperations, 'deviceId', deviceId ?? ''), eq(deviceOperations, 'enabled', true)),
          top: shownOperations,
        },
        signal,
      ),
    enabled: deviceId !== undefined,
  });
  const entities = deviceId
    ? [
        { id: deviceId, operation: '' },
        ...(operations.data?.rows ?? []).map((row) => ({ id: row.deviceOperationId, operation: row.label })),
      ]
    : [];
  const answers = useQueries({ queries: entities.map(({ id }) => metricsQuery(id)) });
  const metrics = entities.flatMap(({ id, operation }, at) =>
    (answers[at]?.data?.value ?? [])
      .filter(({ kind }) => kind === 'number')
      .map(({ name }) => ({ entityId: id, metric: name, label: operation ? t.ofOperation(name, operation) : name })),
  );
  return { metrics, isLoading: operations.isLoading || answers.some((answer) => answer.isLoading) };
}

/** Chooses a device, then a number that it reports. */
function SeriesPicker({ tenantId, onPick }: { tenantId: string; onPick: (series: TileSeries) => void }) {
  const [device, setDevice] = useState<ComboChoice | null>(null);
  const [typed, setTyped] = useState('');
  const search = useDebounced(typed, 250).trim();
  const list = useList(devices, {
    select: ['deviceId', 'name'],
    filter: and(eq(devices, 'tenantId', tenantId), search === '' ? undefined : `contains(name, '${search.replaceAll("'", "''")}')`),
    orderBy: 'name asc',
    top: shownDevices,
  });
  const { metrics, isLoading } = useReported(device ? String(device.value) : undefined);
  return (
    <div className="tile-picker">
      <Field label={t.entity}>
        {(aria) => (
          <ComboBox
            aria={aria}
            filtered
            choices={(list.data?.rows ?? []).map(({ deviceId, name }) => ({ value: deviceId, label: name }))}
            value={device}
            loading={list.isFetching}
            placeholder={t.entityHint}
            onType={setTyped}
            onChange={setDevice}
          />
        )}
      </Field>
      <Field label={t.metric} help={device && !isLoading && metrics.length === 0 ? t.metricNone : undefined}>
        {(aria) => (
          <Select
            {...aria}
            value=""
            none=""
            disabled={metrics.length === 0}
            choices={metrics.map(({ label }, at) => ({ value: at, label }))}
            onChange={(at) => {
              const picked = at === '' ? undefined : metrics[at];
              if (picked && device)
                onPick({ entityId: picked.entityId, metric: picked.metric, label: `${device.label} ${picked.label}`.slice(0, 300) });
            }}
          />
        )}
      </Field>
    </div>
  );
}

interface ScopeInputProps {
  tile: DashboardTile;
  /** The variables of the dashboard. */
  variables: readonly VariableKind[];
  onChange: (tile: DashboardTile) => void;
}

const withScope = ({ scope: _scope, ...tile }: DashboardTile, scope: TileScope | undefined): DashboardTile =>
  (scope === undefined ? tile : { ...tile, scope }) as DashboardTile;

/** What the tile is about: the customer of the dashboard, or all customers, limited by what is chosen. */
function ScopeInput({ tile, variables, onChange }: ScopeInputProps) {
  const { scope } = tile;
  const kinds = variableKinds.filter((kind) => kind === 'tenant' || kind === 'group' || isOfDevices(tile.kind));
  return (
    <>
      <Field label={scopeTexts.title}>
        {(aria) => (
          <Select
            {...aria}
            value={scope === undefined ? 'own' : 'chosen'}
            choices={[
              { value: 'own', label: scopeTexts.own },
              { value: 'chosen', label: scopeTexts.chosen },
            ]}
            onChange={(value) => onChange(withScope(tile, value === 'own' ? undefined : {}))}
          />
        )}
      </Field>
      {scope !== undefined &&
        kinds.map((kind) => (
          <VariablePicker
            key={kind}
            kind={kind}
            value={scope[kind] ?? ''}
            {...(variables.includes(kind) ? { variable: variableIn(kind) } : {})}
            onChange={(value) => onChange(withScope(tile, withoutEmpty({ ...scope, [kind]: value }) as TileScope))}
          />
        ))}
      {isRepeatable(tile.kind) && scope !== undefined && (
        <Checkbox label={scopeTexts.repeat} checked={tile.repeat ?? false} onChange={(repeat) => onChange({ ...tile, repeat })} />
      )}
    </>
  );
}

interface TileSettingsProps {
  tile: DashboardTile;
  tenantId: string;
  /** The variables of the dashboard. */
  variables: readonly VariableKind[];
  onDone: (tile: DashboardTile) => void;
  onClose: () => void;
}

/** A chart has either series or a metric of its scope. */
function finished(tile: DashboardTile): DashboardTile {
  if (tile.kind !== 'chart') return tile;
  const { metric, ...rest } = tile;
  const name = metric?.trim();
  return rest.series.length > 0 || !name ? rest : { ...rest, metric: name };
}

export function TileSettings({ tile, tenantId, variables, onDone, onClose }: TileSettingsProps) {
  const [draft, setDraft] = useState(tile);
  const withSeries = draft.kind === 'number' || draft.kind === 'chart';
  const max = draft.kind === 'number' ? 1 : dashboardLimits.series;
  const metric = draft.kind === 'chart' ? draft.metric?.trim() : undefined;
  const isMissing = withSeries && draft.series.length === 0 && !(metric && draft.scope);
  const setSeries = (series: TileSeries[]) => withSeries && setDraft({ ...draft, series });
  return (
    <Dialog
      title={dashboardTexts.kinds[tile.kind]}
      width="sm"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{en.common.cancel}</Button>
          <Button look="primary" disabled={isMissing} title={isMissing ? t.missing : undefined} onClick={() => onDone(finished(draft))}>
            {t.done}
          </Button>
        </>
      }
    >
      <div className="tile-settings">
        {withSeries && (
          <>
            {draft.series.length > 0 && (
              <ul className="tile-rows" aria-label={t.series}>
                {draft.series.map((line, at) => (
                  <li key={`${line.entityId} ${line.metric}`}>
                    <span className="ellipsis grow">{line.label}</span>
                    <IconButton
                      small
                      icon="trash"
                      label={t.removeSeries(line.label)}
                      onClick={() => setSeries(draft.series.filter((_other, index) => index !== at))}
                    />
                  </li>
                ))}
              </ul>
            )}
            {draft.series.length < max && (
              <SeriesPicker
                tenantId={tenantId}
                onPick={(picked) => {
                  const isThere = draft.series.some(({ entityId, metric }) => entityId === picked.entityId && metric === picked.metric);
                  if (!isThere) setSeries([...draft.series, picked]);
                }}
              />
            )}
          </>
        )}
        {draft.kind === 'chart' && draft.series.length === 0 && (
          <TextField
            label={t.scopeMetric}
            help={t.scopeMetricHelp}
            maxLength={200}
            value={draft.metric ?? ''}
            onChange={(next) => setDraft({ ...draft, metric: next, scope: draft.scope ?? {} })}
          />
        )}
        {draft.kind !== 'number' && <ScopeInput tile={draft} variables={variables} onChange={setDraft} />}
        {draft.kind === 'chart' && (
          <Field label={t.hours}>
            {(aria) => (
              <Select
                {...aria}
                value={draft.hours}
                choices={Object.entries(rangeMs).map(([name, length]) => ({
                  value: length / 3_600_000,
                  label: chartTexts.ranges[name] ?? name,
                }))}
                onChange={(hours) => setDraft({ ...draft, hours })}
              />
            )}
          </Field>
        )}
        <TextField
          label={t.title}
          help={variables.length > 0 ? t.titleVariables(variables.map(variableIn).join(' ')) : t.titleHelp}
          maxLength={100}
          value={draft.title}
          onChange={(next) => setDraft({ ...draft, title: next })}
        />
      </div>
    </Dialog>
  );
}
