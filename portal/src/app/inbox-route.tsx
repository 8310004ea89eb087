import { InboxPage } from '../features/inbox/inbox-page.tsx';
import { UnitPane } from '../features/work-units/do-now/unit-pane.tsx';

export function InboxRoute() {
  return (
    <>
      <InboxPage />
      <UnitPane />
    </>
  );
}
