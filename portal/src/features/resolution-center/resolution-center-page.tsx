import { useSearchParams } from 'react-router';
import { permission, viewMine } from '@cloudfit/contract/permissions.ts';
import { resolutionCenterEn as t } from '@cloudfit/contract/messages/resolution-center.en.ts';
import { usePermissions } from '../../api/lookups.ts';
import { currentImpersonation } from '../../api/see-as.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { Icon } from '../../components/icon.tsx';
import { ListPage } from '../../resource/list-page.tsx';
import { useAddress } from '../../hooks/use-address.ts';
import { newId, usePanel } from '../../hooks/use-panel.ts';
import { resolutionCenterView } from './resolution-center.view.tsx';
import { thanksFlag } from './satisfaction.tsx';
import './resolution-center.css';

/** Thanks the person for feedback until the person closes the message (RC-008). */
function Thanks() {
  const [params] = useSearchParams();
  const setAddress = useAddress();
  const flag = params.get(thanksFlag);
  if (flag === null || flag === 'false') return null;
  const close = () =>
    setAddress(
      (next) => {
        next.delete(thanksFlag);
        return undefined;
      },
      { replace: true },
    );
  return (
    <div className="thanks" role="status">
      <Icon name="check" />
      <span className="grow">{t.feedback.thanks}</span>
      <IconButton small icon="close" label={t.feedback.close} onClick={close} />
    </div>
  );
}

export function ResolutionCenterPage() {
  const { open } = usePanel('workUnitId');
  const { data: permissions } = usePermissions();
  const mayAsk =
    currentImpersonation() === undefined && (permissions?.has(viewMine) || permissions?.has(permission('WorkUnits', 'create')));
  return (
    <>
      <Thanks />
      <ListPage
        view={resolutionCenterView}
        create={
          mayAsk ? (
            <Button look="primary" icon="plus" data-create onClick={() => open(newId)}>
              {t.request.create}
            </Button>
          ) : (
            <span />
          )
        }
      />
    </>
  );
}
