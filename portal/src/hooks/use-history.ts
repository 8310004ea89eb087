/** Returns the address of a row's audit and a function that opens it; undefined without a key, a tenant or the permission. */
import { useNavigate, useParams } from 'react-router';
import { useMay } from '../api/lookups.ts';

export function useHistory(entity: string, key: string | undefined) {
  const may = useMay();
  const navigate = useNavigate();
  const { tenantId } = useParams();
  if (key === undefined || !tenantId || !may('Settings', 'view')) return undefined;
  const to = `/${tenantId}/audit?${new URLSearchParams({ entity, row: key })}`;
  return { to, open: () => void navigate(to) };
}
