/** The way to the audit of one row, for people who may read it. */
import { useNavigate, useParams } from 'react-router';
import type { Resource } from '@cloudfit/contract/resource.ts';
import { useMay } from '../api/lookups.ts';
import { keyOf } from '../rows/row.ts';

export function useHistory(resource: Resource, row: object | undefined) {
  const may = useMay();
  const navigate = useNavigate();
  const { tenantId } = useParams();
  if (!row || !tenantId || !may('Settings', 'view')) return undefined;
  const to = `/${tenantId}/audit?${new URLSearchParams({ entity: resource.name, row: keyOf(resource, row) })}`;
  return { to, open: () => void navigate(to) };
}
