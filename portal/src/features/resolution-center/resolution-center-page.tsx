import { useMemo, useState } from 'react';
import { useParams, useSearchParams } from 'react-router';
import { permission, viewMine } from '@cloudfit/contract/permissions.ts';
import { resolutionCenterEn as t } from '@cloudfit/contract/messages/resolution-center.en.ts';
import { usePermissions } from '../../api/lookups.ts';
import { currentImpersonation } from '../../api/see-as.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { Icon } from '../../components/icon.tsx';
import { onDemand } from '../../components/on-demand.tsx';
import { ListPage } from '../../resource/list-page.tsx';
import { useAddress } from '../../hooks/use-address.ts';
import { newId, usePanel } from '../../hooks/use-panel.ts';
import { resolutionCenterView, viewOfTenants } from './resolution-center.view.tsx';
import { thanksFlag } from './satisfaction.tsx';
import { useTenantNames } from './use-tenant-names.ts';
import './resolution-center.css';

const subscriptionPanel = onDemand(() => import('./subscription.tsx').then((module) => module.SubscriptionPanel));

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
  const { tenantId } = useParams();
  const [subscribes, setSubscribes] = useState(false);
  const { data: permissions } = usePermissions();
  const nameOf = useTenantNames();
  const view = useMemo(() => (nameOf ? viewOfTenants(nameOf) : resolutionCenterView), [nameOf]);
  const mayAsk =
    currentImpersonation() === undefined && (permissions?.has(viewMine) || permissions?.has(permission('WorkUnits', 'create')));
  return (
    <>
      <Thanks />
      <ListPage
        view={view}
        create={
          mayAsk ? (
            <>
              <Button icon="mail" onClick={() => setSubscribes(true)}>
                {t.subscription.title}
              </Button>
              <Button look="primary" icon="plus" data-create onClick={() => open(newId)}>
                {t.request.create}
              </Button>
            </>
          ) : (
            <span />
          )
        }
      />
      {subscribes && <subscriptionPanel.Component tenantId={tenantId} onClose={() => setSubscribes(false)} />}
    </>
  );
}
