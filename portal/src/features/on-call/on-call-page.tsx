import { ListPage } from '../../resource/list-page.tsx';
import { onCallView } from './on-call.view.tsx';
import './on-call.css';

export function OnCallPage() {
  return <ListPage view={onCallView} />;
}
