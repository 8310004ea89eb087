import { tenantSecrets } from '@cloudfit/contract/resources/tenant-secrets.ts';
import { serve } from '../../resources/served.ts';

export const servedTenantSecrets = serve(tenantSecrets, 'tenant_secret');
