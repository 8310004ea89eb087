import { Link, useSearchParams } from 'react-router';
import { eq } from '@cloudfit/contract/query/build.ts';
import { campaignTexts as t } from '@cloudfit/contract/messages/campaigns.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { campaignDevices, type campaigns } from '@cloudfit/contract/resources/campaigns.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import type { ExpandedRow } from '@cloudfit/contract/resources/expanded.ts';
import { Chip, type Tone } from '../../components/chips.tsx';
import { defineView } from '../../resource/view.ts';
import { fieldColumn } from '../../rows/cells.tsx';

const resource = campaignDevices;

/** Parameter of the address: the id of the device operation whose output is shown over the page. */
export const outputParam = 'output';

export type ListedDevice = ExpandedRow<typeof campaignDevices, 'device'>;

const tones: Readonly<Record<ListedDevice['outcome'], Tone>> = {
  Waiting: 'plain',
  Running: 'info',
  Done: 'ok',
  Failed: 'danger',
  Stopped: 'warn',
  Returning: 'info',
  Returned: 'warn',
};

const nameOf = (row: ListedDevice) => row.device?.name ?? row.deviceId;

/** The number of the ring for people: stored from 0, shown from 1. */
const ringOf = ({ ring }: ListedDevice) => String(ring + 1);

/** A link that shows the output over the list, and keeps the list's filters and page in the address. */
function OutputLink({ row }: { row: ListedDevice }) {
  const [params] = useSearchParams();
  if (row.deviceOperationId === null) return <span className="faint">{en.common.none}</span>;
  const next = new URLSearchParams(params);
  next.set(outputParam, row.deviceOperationId);
  return (
    <Link to={{ search: `?${next}` }} aria-label={t.page.outputOf(nameOf(row))}>
      {t.page.output}
    </Link>
  );
}

function Outcome({ row }: { row: ListedDevice }) {
  return (
    <Chip tone={tones[row.outcome]} dot>
      {t.outcomes[row.outcome]}
    </Chip>
  );
}

/** The view of one campaign's devices. */
export const campaignDevicesView = (campaign: Pick<Row<typeof campaigns>, 'campaignId' | 'title' | 'kind'> & { hasRings: boolean }) =>
  defineView({
    resource,
    icon: 'devices',
    texts: { title: campaign.title, emptyText: t.page.noneText },
    columns: [
      { ...fieldColumn(resource, 'deviceId'), width: 200, grow: false, cell: nameOf, text: nameOf },
      ...(campaign.hasRings ? [{ ...fieldColumn(resource, 'ring'), width: 70, cell: ringOf, text: ringOf }] : []),
      { ...fieldColumn(resource, 'outcome'), width: 110, cell: (row) => <Outcome row={row} />, text: (row) => t.outcomes[row.outcome] },
      { ...fieldColumn(resource, 'reason'), width: 260, grow: true },
      { ...fieldColumn(resource, 'begun'), width: 100 },
      { ...fieldColumn(resource, 'ended'), width: 100 },
      ...(campaign.kind === 'RunOperation'
        ? [
            {
              id: 'output',
              header: t.page.output,
              width: 90,
              cell: (row: ListedDevice) => <OutputLink row={row} />,
              buttons: true as const,
            },
          ]
        : []),
    ],
    phoneLine: (row) => (
      <>
        <Outcome row={row} />
        <span className="ellipsis">{row.reason}</span>
      </>
    ),
    expand: ['device'],
    base: () => [eq(resource, 'campaignId', campaign.campaignId)],
    filters: ['outcome'],
    searchIn: ['device/name'],
    rows: 50,
    pollMs: 10_000,
  });
