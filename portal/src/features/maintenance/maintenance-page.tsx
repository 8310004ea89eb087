import { ListPage } from '../../resource/list-page.tsx';
import { maintenanceView } from './maintenance.view.tsx';

/** What is, will be and was in maintenance. */
export function MaintenancePage() {
  return <ListPage view={maintenanceView} />;
}
