import { Link } from 'react-router';
import { accessTexts as t } from '@cloudfit/contract/messages/access.en.ts';
import { useMay } from '../../api/lookups.ts';
import { Button } from '../../components/button.tsx';
import { ImportButton } from '../../entities/list-import/import-button.tsx';
import { usePanel } from '../../hooks/use-panel.ts';
import { ListPage } from '../../resource/list-page.tsx';
import { InvitePanel } from './invite-panel.tsx';
import { peopleView } from './people.view.tsx';

export function PeoplePage() {
  const may = useMay();
  const invite = usePanel('invite');
  return (
    <>
      <ListPage
        view={peopleView}
        bar={
          <>
            <ImportButton list="people" area="People" />
            <Link className="btn" to="../invitations" relative="path">
              {t.invitations.title}
            </Link>
            <Link className="btn" to="../directories" relative="path">
              {t.directories}
            </Link>
          </>
        }
        create={
          may('People', 'create') ? (
            <Button look="primary" icon="mail" data-create onClick={() => invite.open('new')}>
              {t.invitations.invite}
            </Button>
          ) : undefined
        }
      />
      {invite.id !== null && <InvitePanel onClose={invite.close} />}
    </>
  );
}
