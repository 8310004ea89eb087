import { eventSubscriptionTexts as t } from '@cloudfit/contract/messages/event-subscriptions.en.ts';
import { eq, or } from '@cloudfit/contract/query/build.ts';
import { serviceFacts, type ServiceName } from '@cloudfit/contract/events/services.ts';
import { eventSubscriptions } from '@cloudfit/contract/resources/event-subscriptions.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { Chip } from '../../../components/chips.tsx';
import { RelativeTime } from '../../../components/relative-time.tsx';
import { GenericPanel, loadGenericPanel } from '../../../resource/list-panel.tsx';
import { defineView, type PanelProps } from '../../../resource/view.ts';
import { fieldColumn } from '../../../rows/cells.tsx';
import { exactTime } from '../../../theme/times.ts';
import { Deliveries } from './deliveries.tsx';
import { SubscriptionFacts } from './subscription-facts.tsx';
import { placeOf, stateOf, type NewSecret, type SubscriptionEntity } from './subscription-row.ts';

type SavedRow = Row<typeof eventSubscriptions>;

const hasSecret = (row: SavedRow): row is SavedRow & NewSecret => 'generatedSecret' in row;

function State({ row }: { row: SubscriptionEntity }) {
  const { text, tone } = stateOf(row);
  return (
    <Chip dot tone={tone}>
      {text}
    </Chip>
  );
}

/** The fields that a receiver does not need. */
function hiddenFor(service: ServiceName = 'CloudEvents') {
  if (service === 'CloudEvents')
    return ['place', 'itemType', 'tokenSecret', 'signingSecret', 'creates', 'externalOnly', 'reopens'] as const;
  const { kind, place, itemType, needsToken } = serviceFacts[service];
  return [
    'entity' as const,
    'format' as const,
    'tenantGroupId' as const,
    ...(place ? [] : ['place' as const]),
    ...(itemType ? [] : ['itemType' as const]),
    ...(needsToken ? [] : ['tokenSecret' as const]),
    ...(service === 'Slack' || service === 'Mattermost' ? [] : ['signingSecret' as const]),
    ...(kind === 'tracker' ? [] : ['reopens' as const]),
  ];
}

/** `onSecret` gets a secret that was just made. */
export function eventSubscriptionsView(onSecret: (secret: NewSecret) => void) {
  const view = defineView({
    resource: eventSubscriptions,
    icon: 'link',
    texts: { title: t.title, saveFailed: t.saveFailed, emptyText: t.emptyText },
    columns: [
      { ...fieldColumn(eventSubscriptions, 'name'), width: 170, grow: true },
      { ...fieldColumn(eventSubscriptions, 'service'), width: 110, below: 'sm' },
      { ...fieldColumn(eventSubscriptions, 'entity'), width: 130, below: 'md' },
      { id: 'state', header: t.state, width: 120, cell: (row) => <State row={row} />, text: (row) => stateOf(row).text },
      { ...fieldColumn(eventSubscriptions, 'address'), width: 190, below: 'md' },
      { ...fieldColumn(eventSubscriptions, 'tenantId'), width: 140, below: 'md', cell: placeOf, text: placeOf },
      {
        ...fieldColumn(eventSubscriptions, 'lastDelivered'),
        width: 130,
        below: 'sm',
        cell: (row) => (row.lastDelivered ? <RelativeTime value={row.lastDelivered} /> : <span className="faint">{t.none}</span>),
        text: (row) => (row.lastDelivered ? exactTime(row.lastDelivered) : t.none),
      },
    ],
    expand: ['tenant', 'tenantGroup'],
    base: ({ tenantId }) => [
      tenantId ? or(eq(eventSubscriptions, 'tenantId', tenantId), eq(eventSubscriptions, 'tenantId', null)) : undefined,
    ],
    filters: ['service', 'entity', 'enabled'],
    form: {
      sections: [
        { fields: ['name', 'service', 'tenantId', 'tenantGroupId', 'address', 'enabled'] },
        { title: t.connection, fields: ['place', 'itemType', 'tokenSecret', 'signingSecret', 'creates', 'externalOnly', 'reopens'] },
        { title: t.what, fields: ['entity', 'onOpened', 'onState', 'onChanged', 'onNote', 'filter'] },
        { title: t.how, fields: ['format', 'batchSize', 'batchSeconds'] },
      ],
      wide: ['address', 'filter'],
      hides: ({ entity, tenantId, service, format }) => [
        ...hiddenFor(service as ServiceName | undefined),
        ...(format === 'Batch' && (service ?? 'CloudEvents') === 'CloudEvents' ? [] : (['batchSize', 'batchSeconds'] as const)),
        ...(entity === 'workUnits' ? [] : ['onNote' as const]),
        ...(entity === 'ruleMatches' ? ['onChanged' as const] : []),
        ...(tenantId ? ['tenantGroupId' as const] : []),
      ],
    },
    panelTop: (row) => <SubscriptionFacts row={row} onSecret={onSecret} />,
    tabs: { form: t.details, others: [{ id: 'deliveries', label: t.deliveries, Body: Deliveries }] },
    pollMs: 10_000,
  });
  const announce = (row: SavedRow, isNew: boolean) => {
    if (isNew && hasSecret(row)) onSecret(row);
  };
  const Component = (props: PanelProps<SubscriptionEntity>) => <GenericPanel {...props} view={view} onSaved={announce} />;
  return { ...view, panel: { Component, load: loadGenericPanel } };
}
