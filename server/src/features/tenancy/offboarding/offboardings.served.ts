/** How customers end, for those who see all tenants: the steps name what one of them had. */
import { permission } from '@cloudfit/contract/permissions.ts';
import { offboardings } from '@cloudfit/contract/resources/offboardings.ts';
import { may } from '../../../context/ctx.ts';
import { sql } from '../../../db/sql.ts';
import { serve, type Served } from '../../../resources/served.ts';

export const servedOffboardings: Served<typeof offboardings> = serve(offboardings, 'offboarding', {
  rowsFor: (ctx) => (may(ctx, permission('Tenants', 'view'), null) ? undefined : sql<boolean>`false`),
});
