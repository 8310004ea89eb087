/** The rules that are assigned to a protocol: linked to it, or opening work units with it (PROT-009). */
import { Link } from 'react-router';
import { matchedRules } from '@cloudfit/contract/calls.ts';
import { ruleTypes } from '@cloudfit/contract/enums.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { protocolTexts } from '@cloudfit/contract/messages/protocols.en.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { rules } from '@cloudfit/contract/resources/rules.ts';
import { choiceText } from '@cloudfit/contract/messages/choices.en.ts';
import { useCall } from '../../api/call.ts';
import { RequestFailed } from '../../api/client.ts';
import { Loaded } from '../../calls/loaded.tsx';
import { Chip } from '../../components/chips.tsx';
import { DataTable } from '../../components/table/data-table.tsx';
import { EmptyState } from '../../components/states.tsx';
import type { TableColumn } from '../../components/table/table-column.ts';
import { useScope } from '../../rows/use-scope.ts';
import './protocols.css';

const t = protocolTexts.rules;
const maxRules = 1_000;

const columnsOf = (tenantId: string | null): readonly TableColumn<Row<typeof rules>>[] => [
  {
    id: 'name',
    header: t.name,
    width: 180,
    grow: true,
    tone: 'strong',
    cell: (rule) => <Link to={`/${tenantId ?? rule.tenantId}/rules?id=${rule.ruleId}`}>{rule.name}</Link>,
  },
  {
    id: 'type',
    header: t.type,
    width: 120,
    tone: 'soft',
    below: 'sm',
    cell: (rule) => choiceText(ruleTypes.find((type) => type.value === rule.ruleTypeId)?.label ?? en.common.none),
  },
  {
    id: 'state',
    header: t.state,
    width: 112,
    cell: (rule) => (
      <Chip tone={rule.enabled ? 'ok' : 'plain'} dot>
        {rule.enabled ? t.enabled : t.disabled}
      </Chip>
    ),
  },
];

export function AssignedRules({ row: { protocolId: id } }: { row: { protocolId: string } }) {
  const { tenantId } = useScope();
  // A changed rule refreshes this list, because the change may assign the rule to the protocol.
  const { data, error, refetch } = useCall(
    matchedRules,
    { id, query: { orderBy: 'name asc', top: maxRules } },
    { refreshedBy: rules.name },
  );
  const denied = error instanceof RequestFailed && error.status === 403;
  if (denied) return <EmptyState small icon="lock" title={en.auth.deniedTitle} text={en.auth.deniedText} />;
  const table = (rows: readonly Row<typeof rules>[], skeletonRows = 0) => (
    <div className="framed-table">
      <DataTable
        label={t.tab}
        columns={columnsOf(tenantId)}
        rows={rows}
        rowKey={(rule) => rule.ruleId}
        rowName={(rule) => rule.name}
        skeletonRows={skeletonRows}
      />
    </div>
  );
  return (
    <Loaded
      query={{ data: data?.value, error, refetch }}
      failed={t.failed}
      loading={table([], 3)}
      empty={<EmptyState small icon="rules" title={t.none} text={t.noneText} />}
    >
      {(rows) => table(rows)}
    </Loaded>
  );
}
