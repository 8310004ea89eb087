import { useNavigate } from 'react-router';
import { selectionTexts as t } from '@cloudfit/contract/messages/policies.en.ts';
import { eq, or } from '@cloudfit/contract/query/build.ts';
import { deviceSelections } from '@cloudfit/contract/resources/device-selections.ts';
import { selectionMembers } from '@cloudfit/contract/resources/device-selections.ts';
import { ListPage } from '../../resource/list-page.tsx';
import { defineView } from '../../resource/view.ts';
import { useList } from '../../rows/use-rows.ts';
import { useScope } from '../../rows/use-scope.ts';
import { countText } from '../../components/count.ts';
import { DeviceFilterInput } from './device-filter-input.tsx';

/** The number of devices that are in now. */
function MemberCount({ id }: { id: string }) {
  const { data } = useList(selectionMembers, { filter: eq(selectionMembers, 'deviceSelectionId', id), top: 0, count: true });
  return <span className="num">{data ? countText(data.count ?? 0) : '…'}</span>;
}

const selectionsView = (show: (id: string) => void) =>
  defineView({
    resource: deviceSelections,
    icon: 'columns',
    texts: {
      title: t.title,
      emptyText: t.emptyText,
      delete: t.remove,
      deleted: (row) => t.removed(row.name),
      deleteQuestion: (row) => t.removeQuestion(row.name),
    },
    columns: [
      'name',
      { id: 'members', header: t.devices, width: 90, cell: (row) => <MemberCount id={row.deviceSelectionId} /> },
      'filter',
      'tenantId',
      'modified',
    ],
    expand: ['tenant', 'tenantGroup'],
    base: ({ tenantId }) => [tenantId ? or(eq(deviceSelections, 'tenantId', tenantId), eq(deviceSelections, 'tenantId', null)) : undefined],
    actions: (row) => [{ id: 'devices', label: t.showDevices, icon: 'devices', run: () => show(row.deviceSelectionId) }],
    form: {
      sections: [{ fields: ['name', 'description', 'tenantId', 'tenantGroupId', 'filter'] }],
      wide: ['name', 'filter'],
      inputs: { filter: DeviceFilterInput },
      help: { filter: t.filterHelp },
      hides: (values) => (values.tenantId ? ['tenantGroupId'] : []),
    },
  });

/** Saved filters over devices, whose members follow the facts. */
export function SelectionsPage() {
  const navigate = useNavigate();
  const { tenantId } = useScope();
  return <ListPage view={selectionsView((id) => void navigate(`${tenantId ? `/${tenantId}` : ''}/devices?f.selections=${id}`))} />;
}
