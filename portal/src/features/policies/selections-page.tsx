import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { selectionTexts as t } from '@cloudfit/contract/messages/policies.en.ts';
import { eq, or } from '@cloudfit/contract/query/build.ts';
import { deviceSelections, selectionMembers } from '@cloudfit/contract/resources/device-selections.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { countText } from '../../components/count.ts';
import { ListPage } from '../../resource/list-page.tsx';
import { usualTexts } from '../../resource/usual-texts.ts';
import { defineView } from '../../resource/view.ts';
import { fetchPage, useList } from '../../rows/use-rows.ts';
import { useScope } from '../../rows/use-scope.ts';
import { exactTime } from '../../theme/times.ts';
import { DeviceFilterInput } from './device-filter-input.tsx';

type SelectionRow = Row<typeof deviceSelections>;

const shownMax = 100;

/** Renders what can be done with the devices of a selection in a tenant. */
export type MemberActions = (
  tenantId: string,
  selection: { deviceSelectionId: string; name: string; filter: string; count: number },
) => ReactNode;

const useMembers = (id: string, tenantId: string | null, top: number) =>
  useList(selectionMembers, {
    filter: [eq(selectionMembers, 'deviceSelectionId', id), ...(tenantId ? [eq(selectionMembers, 'tenantId', tenantId)] : [])].join(
      ' and ',
    ),
    expand: ['device'],
    orderBy: 'since desc',
    top,
    count: true,
  });

function MemberCount({ id }: { id: string }) {
  const { data } = useMembers(id, null, 0);
  return <span className="num">{data ? countText(data.count ?? 0) : '…'}</span>;
}

async function countTexts(rows: readonly SelectionRow[]): Promise<(row: SelectionRow) => string> {
  const counts = new Map(
    await Promise.all(
      rows.map(async ({ deviceSelectionId: id }) => {
        const { count } = await fetchPage(selectionMembers, { filter: eq(selectionMembers, 'deviceSelectionId', id), top: 0, count: true });
        return [id, String(count ?? 0)] as const;
      }),
    ),
  );
  return (row) => counts.get(row.deviceSelectionId) ?? '';
}

/** The devices that are in now, those that came last first, and what can be done with all of them. */
function Members({ row, actions }: { row: SelectionRow; actions: MemberActions }) {
  const { tenantId } = useScope();
  const { data } = useMembers(row.deviceSelectionId, tenantId, shownMax);
  if (!data) return <p className="faint">{t.counting}</p>;
  const count = data.count ?? data.rows.length;
  const filter = `selections/any(s:s/deviceSelectionId eq ${row.deviceSelectionId})`;
  return (
    <div className="selection-preview">
      <p>
        <strong>{count === 0 ? t.previewNone : t.preview(countText(count))}</strong>
      </p>
      {tenantId && actions(tenantId, { deviceSelectionId: row.deviceSelectionId, name: row.name, filter, count })}
      <ul className="selection-members">
        {data.rows.map(({ selectionMemberId, deviceId, device, since, tenantId: of }) => (
          <li key={selectionMemberId}>
            <Link to={`/${of}/devices/${deviceId}?part=policies`}>{device?.name ?? '…'}</Link>
            <span className="faint">{t.since(exactTime(since))}</span>
          </li>
        ))}
        {count > data.rows.length && <li className="faint">{t.more(countText(count - data.rows.length))}</li>}
      </ul>
    </div>
  );
}

const selectionsView = (actions: MemberActions) =>
  defineView({
    resource: deviceSelections,
    icon: 'columns',
    texts: usualTexts(t),
    columns: [
      'name',
      { id: 'members', header: t.devices, width: 90, cell: (row) => <MemberCount id={row.deviceSelectionId} />, texts: countTexts },
      'filter',
      'tenantId',
      'modified',
    ],
    expand: ['tenant', 'tenantGroup'],
    base: ({ tenantId }) => [tenantId ? or(eq(deviceSelections, 'tenantId', tenantId), eq(deviceSelections, 'tenantId', null)) : undefined],
    tabs: { form: t.selection, others: [{ id: 'devices', label: t.devices, Body: ({ row }) => <Members row={row} actions={actions} /> }] },
    form: {
      sections: [{ fields: ['name', 'description', 'tenantId', 'tenantGroupId', 'filter'] }],
      wide: ['name', 'filter'],
      inputs: { filter: DeviceFilterInput },
      help: { filter: t.filterHelp },
      hides: (values) => (values.tenantId ? ['tenantGroupId'] : []),
    },
  });

/** Saved filters over devices, whose members follow the facts. */
export function SelectionsPage({ actions }: { actions: MemberActions }) {
  return <ListPage view={selectionsView(actions)} />;
}
