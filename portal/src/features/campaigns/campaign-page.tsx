/** One campaign: its progress, and the outcome of each of its devices. */
import { useMemo } from 'react';
import { Link, useNavigate, useParams } from 'react-router';
import { campaignTexts as t } from '@cloudfit/contract/messages/campaigns.en.ts';
import { campaignOutcomes, isVersionKind } from '@cloudfit/contract/enums.ts';
import { policyRingTexts } from '@cloudfit/contract/messages/policy-rings.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { campaigns, returnedKinds, type campaignDevices } from '@cloudfit/contract/resources/campaigns.ts';
import { countText } from '../../components/count.ts';
import { useMay, useMayEverywhere } from '../../api/lookups.ts';
import { Button } from '../../components/button.tsx';
import { Icon } from '../../components/icon.tsx';
import { usePageTitle } from '../../components/page-title.ts';
import { RelativeTime } from '../../components/relative-time.tsx';
import { listAddress, type ListState } from '../../filters/list-state.ts';
import type { FiltersOf } from '../../filters/listing.ts';
import { useListState, type ChangeList } from '../../filters/use-list-state.ts';
import { usePanel } from '../../hooks/use-panel.ts';
import { ListGrid } from '../../resource/list-grid.tsx';
import { ListPager } from '../../resource/list-pager.tsx';
import { ListToolbar } from '../../resource/list-toolbar.tsx';
import { useListScreen } from '../../resource/use-list-screen.ts';
import { PolicyChanges } from '../../entities/policy-plan/policy-changes.tsx';
import { RuleChanges } from '../../entities/rule-words/rule-changes.tsx';
import { PersonName } from '../../rows/person-name.tsx';
import { useRow } from '../../rows/use-rows.ts';
import { campaignDevicesView, type ListedDevice } from './campaign-devices.view.tsx';
import { CampaignRings } from './campaign-rings.tsx';
import { beginNextRing, pause, resume, retryFailed, stop, stopAndReturn, touchedOf } from './change-campaign.ts';
import { CampaignState, type Campaign } from './campaigns.view.tsx';
import { OutcomeBar, progressText } from './outcome-bar.tsx';
import '../../resource/list-page.css';
import { Loaded } from '../../calls/loaded.tsx';
import './campaigns.css';

/** Announced to screen readers when another ring begins or the campaign leaves the state Running, but not for each device. */
function Announcement({ campaign }: { campaign: Campaign }) {
  const { state, rings, ring } = campaign;
  const ringText = rings ? t.page.ringOf(ring + 1, rings.length) : '';
  return (
    <span className="visually-hidden" role="status">
      {state === 'Running' ? ringText : t.page.announced(state, progressText(campaign), campaign.failed)}
    </span>
  );
}

function Head({ campaign }: { campaign: Campaign }) {
  const { tenantId } = useParams();
  const may = useMay();
  const mayEverywhere = useMayEverywhere(campaigns.area, 'edit');
  const mayEdit = campaign.tenantId === null ? mayEverywhere : may(campaigns.area, 'edit');
  const { state, failed, kind, rings, ring, pausedOn, pausedBy } = campaign;
  const home = `/${campaign.tenantId ?? tenantId}`;
  const next = rings?.[ring + 1];
  const isVersion = isVersionKind(kind);
  // While a version comes into force, Stop restores the one before. After the campaign, people edit the rule; a policy can return.
  const returns = returnedKinds.includes(kind) && (!isVersion || (kind === 'ChangePolicy' && state === 'Done'));
  const touched = touchedOf(campaign);
  return (
    <header className="campaign-head">
      <Announcement campaign={campaign} />
      <div className="campaign-title">
        <Link className="btn quiet small" to={`${home}/campaigns`}>
          <Icon name="left" />
          {t.page.back}
        </Link>
        <CampaignState campaign={campaign} />
        <span className="grow" />
        {campaign.ruleId && (
          <Link className="btn" to={`${home}/rules?id=${campaign.ruleId}`}>
            <Icon name="rules" />
            {t.page.rule}
          </Link>
        )}
        {campaign.policyId && (
          <Link className="btn" to={`${home}/policies?id=${campaign.policyId}`}>
            <Icon name="compliance" />
            {policyRingTexts.toPolicy}
          </Link>
        )}
        {mayEdit && !isVersion && failed > 0 && state !== 'Stopping' && (
          <Button icon="refresh" onClick={() => void retryFailed(campaign)}>
            {t.page.retry(failed)}
          </Button>
        )}
        {mayEdit && state === 'Running' && (
          <Button onClick={() => void (pausedOn ? resume : pause)(campaign)}>{pausedOn ? t.page.resume : t.page.pause}</Button>
        )}
        {mayEdit && state === 'Running' && !pausedOn && (next || isVersion) && (
          <Button icon="right" onClick={() => void beginNextRing(campaign)}>
            {next ? t.page.continue : t.page.adopt}
          </Button>
        )}
        {mayEdit && returns && state !== 'Stopping' && touched > 0 && (
          <Button look="danger" icon="undo" onClick={() => void stopAndReturn(campaign)}>
            {state === 'Running' ? t.page.return : t.page.returnOver}
          </Button>
        )}
        {mayEdit && state === 'Running' && (
          <Button look="danger" icon="close" onClick={() => void stop(campaign)}>
            {t.page.stop}
          </Button>
        )}
      </div>
      <div className="campaign-facts">
        <OutcomeBar counts={campaign} />
        {campaign.packageId && <Link to={`${home}/versionreport?view=time&package=${campaign.packageId}`}>{t.page.versionsOverTime}</Link>}
        <span className="faint">
          {t.page.startedBy} <PersonName userName={campaign.createdBy} /> <RelativeTime value={campaign.created} />
        </span>
        {pausedOn && pausedBy && (
          <span className="faint">
            {t.page.pausedBy} <PersonName userName={pausedBy} /> <RelativeTime value={pausedOn} />
          </span>
        )}
        {campaign.stopReason && <span className="campaign-reason">{campaign.stopReason}</span>}
      </div>
      {campaign.ruleId && <RuleChanges campaign={campaign} />}
      {campaign.policyId && <PolicyChanges campaign={campaign} />}
      <CampaignRings campaign={campaign} />
    </header>
  );
}

/** The outcomes with their counts; choosing one filters the list. */
function Outcomes({ campaign, state, change }: { campaign: Campaign; state: ListState; change: ChangeList }) {
  const { outcome: [chosen] = [] }: FiltersOf<typeof campaignDevices> = state.filters;
  const counts: Readonly<Record<string, number>> = {
    Waiting: campaign.waiting,
    Running: campaign.running,
    Done: campaign.done,
    Failed: campaign.failed,
    Stopped: campaign.stopped,
    Returned: campaign.returned,
  };
  return (
    <div className="row campaign-outcomes" role="group" aria-label={t.progress}>
      <Button small look="quiet" aria-pressed={chosen === undefined} onClick={() => change({ filters: {} })}>
        {t.page.all} <span className="num">{countText(campaign.total)}</span>
      </Button>
      {campaignOutcomes
        .filter((outcome) => (counts[outcome] ?? 0) > 0 || outcome === chosen)
        .map((outcome) => (
          <Button
            key={outcome}
            small
            look="quiet"
            aria-pressed={chosen === outcome}
            onClick={() => change({ filters: { outcome: [outcome] } })}
          >
            {t.outcomes[outcome]} <span className="num">{countText(counts[outcome] ?? 0)}</span>
          </Button>
        ))}
    </div>
  );
}

const deviceOf = (row: ListedDevice) => `/${row.tenantId}/devices?id=${row.deviceId}`;

function Devices({ campaign }: { campaign: Campaign }) {
  const { campaignId, title, kind, rings } = campaign;
  const hasRings = rings !== null;
  const navigate = useNavigate();
  const { open } = usePanel();
  const view = useMemo(() => campaignDevicesView({ campaignId, title, kind, hasRings }), [campaignId, title, kind, hasRings]);
  const screen = useListScreen(view, useListState(useMemo(() => listAddress(view), [view])));
  const opening = useMemo(() => ({ href: deviceOf, open: (row: ListedDevice) => void navigate(deviceOf(row)) }), [navigate]);
  return (
    <>
      <ListToolbar screen={screen} open={open}>
        <Outcomes campaign={campaign} state={screen.state} change={screen.change} />
      </ListToolbar>
      <div className="page-middle">
        <ListGrid screen={screen} opening={opening} />
      </div>
      <ListPager screen={screen} />
    </>
  );
}

export function CampaignPage() {
  const { campaignId = '' } = useParams();
  const query = useRow(campaigns, campaignId);
  const { label } = campaigns;
  usePageTitle(query.data?.title ?? t.page.label);
  return (
    <div className="page">
      <Loaded query={query} small={false} failed={en.failure.row(label)} missing={en.failure.rowNotFound(label)}>
        {(campaign) => (
          <>
            <Head campaign={campaign} />
            <Devices key={campaign.campaignId} campaign={campaign} />
          </>
        )}
      </Loaded>
    </div>
  );
}
