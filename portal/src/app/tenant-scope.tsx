import { Outlet, useParams } from 'react-router';
import { guidSchema } from '@cloudfit/contract/resource.ts';
import { NotFoundPage } from './not-found-page.tsx';

/** What stands under `/{tenantId}`; a first part that cannot be a tenant is an unknown address. */
export function TenantScope() {
  const { tenantId } = useParams();
  return guidSchema.safeParse(tenantId).success ? <Outlet /> : <NotFoundPage />;
}
