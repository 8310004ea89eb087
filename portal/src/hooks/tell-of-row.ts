import { useContextNow } from '../api/context.ts';
import { useTenants } from '../api/lookups.ts';
import { toast } from '../components/toasts.tsx';

/** Tells that a row was changed. Before the text stands the tenant of the row, if it is not the one that the person has chosen. */
export function useTellOfRow(): (row: object, text: string) => void {
  const { tenantId: chosen } = useContextNow();
  const { data: tenants } = useTenants();
  return (row, text) => {
    const ofRow = 'tenantId' in row && row.tenantId !== chosen ? tenants?.find(({ tenantId }) => tenantId === row.tenantId) : undefined;
    toast.success(ofRow ? `${ofRow.name}: ${text}` : text);
  };
}
