import { ListPage } from '../../resource/list-page.tsx';
import { statusPagesView } from './status-pages.view.tsx';

export function StatusPagesPage() {
  return <ListPage view={statusPagesView} />;
}
