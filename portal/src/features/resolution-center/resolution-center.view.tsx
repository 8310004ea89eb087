import { choiceText } from '@cloudfit/contract/messages/choices.en.ts';
import { resolutionCenterEn } from '@cloudfit/contract/messages/resolution-center.en.ts';
import { Icon } from '../../components/icon.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { exactTime } from '../../theme/times.ts';
import { fieldColumn } from '../../rows/cells.tsx';
import { defineView, type ViewColumn } from '../../resource/view.ts';
import { CallMe } from './call-me.tsx';
import { requestPanel } from './request-panel-lazy.tsx';
import { RequestStatus } from './request-status.tsx';
import { pollMs, requests, webAddress, type CustomerRequest } from './requests.ts';
import { SatisfactionIcon } from './satisfaction.tsx';

const t = resolutionCenterEn;

function ReferenceLink({ row }: { row: CustomerRequest }) {
  const to = webAddress(row.referenceUrl);
  if (!to) return null;
  const label = t.reference(row.title);
  return (
    <a className="reference-link" href={to} target="_blank" rel="noopener noreferrer" aria-label={label} title={to}>
      <Icon name="external" />
    </a>
  );
}

const columns: readonly ViewColumn<CustomerRequest>[] = [
  {
    id: 'publicWorkUnitId',
    header: t.columns.id,
    width: 116,
    below: 'sm',
    sortable: true,
    tone: 'soft',
    cell: (row) => <span className="num">{row.publicWorkUnitId}</span>,
    text: (row) => String(row.publicWorkUnitId),
  },
  {
    id: 'created',
    header: t.columns.created,
    width: 110,
    below: 'sm',
    sortable: true,
    tone: 'soft',
    cell: (row) => <RelativeTime value={row.created} />,
    text: (row) => exactTime(row.created),
  },
  {
    id: 'title',
    header: t.columns.title,
    width: 160,
    grow: true,
    sortable: true,
    tone: 'strong',
    cell: (row) => row.title,
    after: (row) => <ReferenceLink row={row} />,
    text: (row) => row.title,
  },
  fieldColumn(requests, 'service'),
  fieldColumn(requests, 'need'),
  {
    id: 'status',
    header: t.columns.status,
    width: 92,
    sortable: true,
    cell: (row) => <RequestStatus status={row.status} />,
    text: (row) => choiceText(row.status),
  },
  {
    id: 'stakeHolderExperienceScore',
    header: t.columns.satisfaction,
    width: 104,
    below: 'sm',
    sortable: true,
    cell: (row) => (row.stakeHolderExperienceScore ? <SatisfactionIcon score={row.stakeHolderExperienceScore} /> : null),
    text: (row) => (row.stakeHolderExperienceScore ? choiceText(row.stakeHolderExperienceScore) : ''),
  },
  { ...fieldColumn(requests, 'stakeHolderPhoneNumber'), hidden: true },
  // As wide as its button, whose words differ much in length between languages.
  {
    id: 'callMe',
    header: t.columns.callMe,
    width: 62 + 8 * t.callMe.action.length,
    cell: (row) => <CallMe request={row} />,
    buttons: true,
  },
];

/** Whose request it is, for those who have requests of several tenants. */
const tenantColumn = (nameOf: (tenantId: string) => string): ViewColumn<CustomerRequest> => ({
  id: 'tenant',
  header: t.request.tenant,
  width: 150,
  tone: 'soft',
  cell: (row) => nameOf(row.tenantId),
  text: (row) => nameOf(row.tenantId),
});

export const resolutionCenterView = defineView({
  resource: requests,
  icon: 'workUnits',
  texts: { title: t.title, emptyText: t.emptyText },
  columns,
  rows: 50,
  filters: ['status', 'created'],
  searchIn: ['publicWorkUnitId'],
  panelParam: 'workUnitId',
  panel: requestPanel,
  offers: ['list'],
  pollMs,
  exportFile: 'requests.csv',
});

const after = columns.findIndex(({ id }) => id === 'title') + 1;

export const viewOfTenants = (nameOf: (tenantId: string) => string) =>
  defineView({ ...resolutionCenterView, columns: columns.toSpliced(after, 0, tenantColumn(nameOf)) });
