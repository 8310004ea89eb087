/** The home page: what needs attention in the tenant of the address. Each number links to its list. */
import type { ReactNode } from 'react';
import { useParams } from 'react-router';
import { en } from '@cloudfit/contract/messages/en.ts';
import { home as t } from '@cloudfit/contract/messages/home.en.ts';
import { useEnvironment, useMay, useMayEverywhere, usePermissions, useTenantSettings, useVersion } from '../../api/lookups.ts';
import { EmptyState, Skeleton } from '../../components/states.tsx';
import { Icon } from '../../components/icon.tsx';
import { usePageTitle } from '../../components/page-title.ts';
import { usePhone } from '../../components/use-phone.ts';
import { MyHandovers } from '../../entities/on-call/my-handovers.tsx';
import { useScope } from '../../rows/use-scope.ts';
import { FirstSteps } from './first-steps.tsx';
import { SplitTable } from './split-table.tsx';
import { Tiles } from './tiles.tsx';
import { Trend } from './trend.tsx';
import { SevereUnits } from './unit-list.tsx';
import './home.css';

function Welcome({ name, tenantId }: { name: string; tenantId: string }) {
  const { data } = useTenantSettings(tenantId);
  const mayBuild = useMayEverywhere('Settings', 'edit');
  return (
    <div className="welcome">
      <div className="grow">
        <h2>{t.welcome(name)}</h2>
        <p className="muted">{t.intro}</p>
        {data?.agentDownloadUrl === null && mayBuild && (
          <p className="faint">
            {t.notBuilt} <code>npm run agent</code>
          </p>
        )}
      </div>
      {data?.agentDownloadUrl && (
        <a className="btn" href={data.agentDownloadUrl} download>
          <Icon name="download" />
          {t.download}
        </a>
      )}
    </div>
  );
}

function HomeFooter() {
  const { data: version } = useVersion();
  return (
    <footer className="home-foot faint">
      <span>{en.product}</span>
      <span>{en.copyright(new Date().getFullYear())}</span>
      {version && <span className="num">{en.shell.version(version.version)}</span>}
      <span className="grow" />
      <a href="/docs">{t.footer.api}</a>
    </footer>
  );
}

/** Placeholders until the person, the permissions and the environment have loaded. */
function Waiting() {
  return (
    <div className="home" aria-busy>
      <div className="welcome">
        <Skeleton width={220} />
      </div>
      <div className="tiles">
        {Array.from({ length: 6 }, (_, at) => (
          <span key={at} className="tile">
            <Skeleton width="60%" />
          </span>
        ))}
      </div>
      <div className="charts">
        <span className="card trend" />
        <span className="card split" />
      </div>
    </div>
  );
}

interface HomePageProps {
  banner: ReactNode;
  notices: ReactNode;
  /** What the person should do now, for those who may view work units. */
  doNow: ReactNode;
}

export function HomePage({ banner, notices, doNow }: HomePageProps) {
  const { tenantId = '' } = useParams();
  const { user } = useScope();
  const may = useMay();
  const permissions = usePermissions();
  const environment = useEnvironment();
  const isPhone = usePhone();
  usePageTitle(t.title);
  // The banner loads before the content below it renders, so that the content does not move.
  if (!user || !permissions.data || environment.isPending) return <Waiting />;
  const mayUnits = may('WorkUnits', 'view');
  const none = !mayUnits && !may('Rules', 'view') && !(may('Devices', 'view') && may('Packets', 'view'));
  return (
    <div className="home">
      {isPhone ? (
        <>
          {notices}
          {mayUnits && doNow}
          {banner}
          <Welcome name={user.name} tenantId={tenantId} />
          <FirstSteps tenantId={tenantId} />
        </>
      ) : (
        <>
          {banner}
          {notices}
          <Welcome name={user.name} tenantId={tenantId} />
          <FirstSteps tenantId={tenantId} />
          {mayUnits && doNow}
        </>
      )}
      <MyHandovers />
      {none ? <EmptyState icon="lock" title={t.noRights} text={t.noRightsText} /> : <Tiles tenantId={tenantId} />}
      {mayUnits && (
        <>
          <div className="charts">
            <Trend />
            <SplitTable tenantId={tenantId} />
          </div>
          <SevereUnits tenantId={tenantId} />
        </>
      )}
      <HomeFooter />
    </div>
  );
}
