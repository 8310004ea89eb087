import { Outlet, useParams } from 'react-router';
import { guidSchema } from '@cloudfit/contract/resource.ts';
import { NotFoundPage } from './not-found-page.tsx';

/** The screens under `/{tenantId}`. An address whose first part is no tenant's id is unknown. */
export function TenantScope() {
  const { tenantId } = useParams();
  return guidSchema.safeParse(tenantId).success ? <Outlet /> : <NotFoundPage />;
}
