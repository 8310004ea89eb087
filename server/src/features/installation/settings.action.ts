import { installationSettings } from '@cloudfit/contract/actions/notices.ts';
import { requirePermission } from '../../context/ctx.ts';
import { shownSettings } from '../../platform/config.ts';
import { implement } from '../../resources/action.ts';

/** Lists the settings, for people who may edit the settings of all tenants. */
export const installationSettingsAction = implement(installationSettings, (ctx) => {
  requirePermission(ctx, 'Settings', 'edit', null);
  return { value: shownSettings(process.env) };
});
