import { ListPage } from '../../resource/list-page.tsx';
import { devicesView } from './devices.view.tsx';

export function DevicesPage() {
  return <ListPage view={devicesView} />;
}
