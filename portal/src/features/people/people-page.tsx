import { ListPage } from '../../resource/list-page.tsx';
import { peopleView } from './people.view.tsx';

export function PeoplePage() {
  return <ListPage view={peopleView} />;
}
