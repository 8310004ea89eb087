/** The rules that are assigned to a protocol: linked to it, or opening work units with it (PROT-009). */
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { ruleTypes } from '@cloudfit/contract/enums.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { protocolTexts } from '@cloudfit/contract/messages/protocols.en.ts';
import type { rules } from '@cloudfit/contract/resources/rules.ts';
import { callJson, failureText, RequestFailed } from '../../api/client.ts';
import { queryString } from '@cloudfit/contract/query/query-string.ts';
import { Chip } from '../../components/chips.tsx';
import { DataTable } from '../../components/table/data-table.tsx';
import { EmptyState, ErrorState } from '../../components/states.tsx';
import type { TableColumn } from '../../components/table/table-column.ts';
import { useScope } from '../../rows/use-scope.ts';
import './protocols.css';

const t = protocolTexts.rules;
const maxRules = 1_000;

interface AssignedRule {
  ruleId: string;
  name: string;
  enabled: boolean;
  ruleTypeId: number;
  tenantId: string;
}

const columnsOf = (tenantId: string | null): readonly TableColumn<AssignedRule>[] => [
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
    cell: (rule) => ruleTypes.find((type) => type.value === rule.ruleTypeId)?.label ?? en.common.none,
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
  const { data, error, refetch } = useQuery({
    // The key begins with `rules`, so that a changed rule refreshes this list: the change may assign the rule to the protocol.
    queryKey: ['rules', 'ofProtocol', id],
    queryFn: async ({ signal }) => {
      const query = queryString<typeof rules>({ orderBy: 'name asc', top: maxRules });
      return (await callJson<{ value: AssignedRule[] }>(`/v1/protocols/GetMatchedRules(id=${id})${query}`, { signal, quiet: true })).value;
    },
  });
  const denied = error instanceof RequestFailed && error.status === 403;
  if (denied) return <EmptyState small icon="lock" title={en.auth.deniedTitle} text={en.auth.deniedText} />;
  if (error && !data) return <ErrorState small title={t.failed} text={failureText(error)} onRetry={() => void refetch()} />;
  if (data?.length === 0) return <EmptyState small icon="rules" title={t.none} text={t.noneText} />;
  return (
    <div className="framed-table">
      <DataTable
        label={t.tab}
        columns={columnsOf(tenantId)}
        rows={data ?? []}
        rowKey={(rule) => rule.ruleId}
        rowName={(rule) => rule.name}
        sorting={[]}
        onSort={() => undefined}
        skeletonRows={data ? 0 : 3}
      />
    </div>
  );
}
