import { Outlet, useParams } from 'react-router';
import { guidSchema } from '@cloudfit/contract/resource.ts';
import { NotFoundPage } from './not-found-page.tsx';

/** The screens under `/{tenantId}`. An address whose first part is no GUID shows the page "not found". */
export function TenantScope() {
  const { tenantId } = useParams();
  return guidSchema.safeParse(tenantId).success ? <Outlet /> : <NotFoundPage />;
}
