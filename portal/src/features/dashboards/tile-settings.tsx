/** The settings of a tile: its title, and for numbers and charts what they show. */
import { useState } from 'react';
import { useQueries, useQuery } from '@tanstack/react-query';
import { chartTexts } from '@cloudfit/contract/messages/charts.en.ts';
import { dashboardTexts } from '@cloudfit/contract/messages/dashboards.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { and, eq } from '@cloudfit/contract/query/build.ts';
import { deviceOperations } from '@cloudfit/contract/resources/device-operations.ts';
import { dashboardLimits, type DashboardTile, type TileSeries } from '@cloudfit/contract/resources/dashboards.ts';
import { devices } from '@cloudfit/contract/resources/devices.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { ComboBox, type ComboChoice } from '../../components/combo-box.tsx';
import { Field } from '../../components/field.tsx';
import { TextField } from '../../components/fields/text-field.tsx';
import { Select } from '../../components/fields/select.tsx';
import { Dialog } from '../../components/overlay/floating.tsx';
import { metricsQuery } from '../../entities/series/use-series.ts';
import { rangeMs } from '../../entities/series/use-time-range.ts';
import { useDebounced } from '../../hooks/use-debounced.ts';
import { fetchPage, useList } from '../../rows/use-rows.ts';

const t = dashboardTexts.tile;
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

interface TileSettingsProps {
  tile: DashboardTile;
  tenantId: string;
  onDone: (tile: DashboardTile) => void;
  onClose: () => void;
}

export function TileSettings({ tile, tenantId, onDone, onClose }: TileSettingsProps) {
  const [draft, setDraft] = useState(tile);
  const withSeries = draft.kind === 'number' || draft.kind === 'chart';
  const max = draft.kind === 'number' ? 1 : dashboardLimits.series;
  const isMissing = withSeries && draft.series.length === 0;
  const setSeries = (series: TileSeries[]) => withSeries && setDraft({ ...draft, series });
  return (
    <Dialog
      title={dashboardTexts.kinds[tile.kind]}
      width="sm"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{en.common.cancel}</Button>
          <Button look="primary" disabled={isMissing} title={isMissing ? t.missing : undefined} onClick={() => onDone(draft)}>
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
          help={t.titleHelp}
          maxLength={100}
          value={draft.title}
          onChange={(next) => setDraft({ ...draft, title: next })}
        />
      </div>
    </Dialog>
  );
}
