import { ListPage } from '../../resource/list-page.tsx';
import { maintenanceView } from './maintenance.view.tsx';

/** The maintenance that is running, planned or over. */
export function MaintenancePage() {
  return <ListPage view={maintenanceView} />;
}
