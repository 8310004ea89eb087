import { en } from '@cloudfit/contract/messages/en.ts';
import { sourceTexts as t } from '@cloudfit/contract/messages/sources.en.ts';
import { eq } from '@cloudfit/contract/query/build.ts';
import { sources } from '@cloudfit/contract/resources/sources.ts';
import type { ExpandedRow } from '@cloudfit/contract/resources/expanded.ts';
import { kindDefaults } from '@cloudfit/contract/sources/kinds.ts';
import { RelativeTime } from '../../components/relative-time.tsx';
import { GenericPanel, loadGenericPanel } from '../../resource/list-panel.tsx';
import { defineView, type PanelProps } from '../../resource/view.ts';
import { fieldColumn } from '../../rows/cells.tsx';
import { decimalText, exactTime } from '../../theme/times.ts';
import { SourceFacts } from './source-facts.tsx';
import { SourceRefusals } from './source-refusals.tsx';
import type { NewSource, SourceEntity } from './source-row.ts';
import { SourceState, stateText } from './source-state.tsx';
import { TryPayload } from './try-payload.tsx';

const hasToken = (source: SourceEntity): source is NewSource => 'generatedToken' in source;

const isOfAlerts = (kind: unknown): boolean => kindDefaults[kind as SourceEntity['kind']]?.alerts === true;

/** `onToken` gets a source whose token is new; nothing else ever shows the token. */
export function sourcesView(onToken: (source: NewSource) => void) {
  const view = defineView({
    resource: sources,
    icon: 'link',
    texts: { title: en.shell.items.sources, saveFailed: t.saveFailed, emptyText: t.emptyText },
    columns: [
      { ...fieldColumn(sources, 'name'), width: 200, grow: true },
      { ...fieldColumn(sources, 'kind'), width: 130, below: 'sm' },
      { id: 'state', header: t.state, width: 120, cell: (row) => <SourceState source={row} />, text: stateText },
      {
        ...fieldColumn(sources, 'lastData'),
        width: 120,
        below: 'sm',
        cell: (row) => (row.lastData ? <RelativeTime value={row.lastData} /> : <span className="faint">{t.none}</span>),
        text: (row) => (row.lastData ? exactTime(row.lastData) : t.none),
      },
      { ...fieldColumn(sources, 'packetsStored'), width: 120, below: 'md' },
      { ...fieldColumn(sources, 'packetsRefused'), width: 120, below: 'md' },
      {
        id: 'entitiesMade',
        header: t.newNames,
        width: 110,
        below: 'md',
        cell: (row) => t.newNamesOf(decimalText(row.entitiesMade, 0), decimalText(row.entityCap, 0)),
        text: (row) => t.newNamesOf(String(row.entitiesMade), String(row.entityCap)),
      },
    ],
    expand: ['subscription'],
    base: ({ tenantId, subscriptionId }) => [
      subscriptionId ? eq(sources, 'subscriptionId', subscriptionId) : tenantId ? eq(sources, 'tenantId', tenantId) : undefined,
    ],
    bySubscription: true,
    filters: ['kind', 'enabled', 'lastData'],
    form: {
      sections: [
        { fields: ['name', 'kind', 'tenantId', 'subscriptionId', 'opensUnits', 'enabled'] },
        { title: t.watching, fields: ['reportWithin', 'lateSeverity', 'lateProtocolId'] },
        { title: t.naming, fields: ['unknownEntities', 'entityCap', 'deviceName', 'blockName', 'mapping', 'clock'] },
      ],
      wide: ['deviceName', 'blockName'],
      hides: ({ kind, reportWithin }) => [
        ...(isOfAlerts(kind) ? [] : ['opensUnits' as const]),
        ...(reportWithin ? [] : ['lateSeverity' as const, 'lateProtocolId' as const]),
      ],
    },
    panelTop: (row) => <SourceFacts source={row} onToken={onToken} />,
    tabs: {
      form: t.details,
      others: [
        { id: 'refused', label: t.refusals, Body: SourceRefusals },
        { id: 'try', label: t.trying, hasForm: true, Body: TryPayload },
      ],
    },
    pollMs: 10_000,
  });
  const announce = (source: SourceEntity, isNew: boolean) => {
    if (isNew && hasToken(source)) onToken(source);
  };
  const Component = (props: PanelProps<ExpandedRow<typeof sources, 'subscription'>>) => (
    <GenericPanel {...props} view={view} onSaved={announce} />
  );
  return { ...view, panel: { Component, load: loadGenericPanel } };
}
