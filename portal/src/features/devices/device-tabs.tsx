/** The tabs of a device, for the panel beside the list and for the page of the device. */
import { deviceLogList } from '@cloudfit/contract/calls.ts';
import type { ComponentType } from 'react';
import { Link } from 'react-router';
import { deviceTexts as t } from '@cloudfit/contract/messages/devices.en.ts';
import { ruleMatchTexts } from '@cloudfit/contract/messages/rule-matches.en.ts';
import type { ExpandedRow } from '@cloudfit/contract/resources/expanded.ts';
import type { devices } from '@cloudfit/contract/resources/devices.ts';
import { onDemand } from '../../components/on-demand.tsx';
import { Skeleton } from '../../components/states.tsx';
import { whyAddress } from '../../entities/explanations/addresses.ts';
import { WhyLink } from '../../entities/explanations/why-link.tsx';
import { MaintainButton } from '../../entities/maintenance/maintain-button.tsx';
import type { PanelTab } from '../../resource/view.ts';

export type PlacedDevice = ExpandedRow<typeof devices, 'location' | 'tenant' | 'subscription'>;

type DeviceTab = PanelTab<PlacedDevice>;

export interface DeviceTabs {
  form: string;
  first: DeviceTab;
  others: readonly DeviceTab[];
}

const waiting = () => <Skeleton width="60%" />;
/** The code of each tab is loaded when it first opens. */
const code = {
  Overview: onDemand(() => import('./overview/overview.tsx').then((module) => module.Overview), { waiting }).Component,
  StatusLine: onDemand(() => import('./overview/overview.tsx').then((module) => module.StatusLine), { waiting }).Component,
  Packets: onDemand(() => import('../../entities/packets/packet-explorer.tsx').then((module) => module.PacketExplorer), { waiting })
    .Component,
  Matches: onDemand(() => import('../../entities/matches/matches.tsx').then((module) => module.Matches), { waiting }).Component,
  Installations: onDemand(() => import('./installations-panel.tsx').then((module) => module.InstallationsEditor), { waiting }).Component,
  Policies: onDemand(() => import('../../entities/policy-state.tsx').then((module) => module.PolicyState), { waiting }).Component,
  Rules: onDemand(() => import('../../entities/rule-exceptions/rules-there.tsx').then((module) => module.RulesOfDevice), { waiting })
    .Component,
  Logs: onDemand(() => import('../../entities/logs/log-list.tsx').then((module) => module.LogList), { waiting }).Component,
};
export const { StatusLine } = code;

/** The overview of a device inside a panel, with the status line, actions, and a link to the device's page. */
function PanelOverview({ row }: { row: PlacedDevice }) {
  return (
    <>
      <div className="row device-top">
        <span className="grow">
          <code.StatusLine device={row} />
        </span>
        <WhyLink button to={whyAddress(row.tenantId, { entityId: row.deviceId })} of={row.name} />
        <MaintainButton look="small" target={{ tenantId: row.tenantId, deviceIds: [row.deviceId] }} what={row.name} />
        <Link className="btn small" to={`/${row.tenantId}/devices/${row.deviceId}`}>
          {t.overview.openPage}
        </Link>
      </div>
      <code.Overview device={row} place="panel" />
    </>
  );
}

/** `Operations`: the component of the feature `device-operations`. `place`: where the tabs are shown. */
export function deviceTabs(Operations: ComponentType<{ deviceId: string }>, place: 'panel' | 'page'): DeviceTabs {
  return {
    form: t.overview.settings,
    first: {
      id: 'overview',
      label: t.overview.tab,
      Body: place === 'panel' ? PanelOverview : ({ row }) => <code.Overview device={row} place="page" />,
    },
    others: [
      { id: 'operations', label: t.operations.action, Body: ({ row }) => <Operations deviceId={row.deviceId} /> },
      { id: 'packets', label: t.packets.action, Body: ({ row }) => <code.Packets entityId={row.deviceId} /> },
      { id: 'matches', label: ruleMatchTexts.title, Body: ({ row }) => <code.Matches of={{ subjectId: row.deviceId }} /> },
      { id: 'installations', label: t.installations.action, Body: ({ row }) => <code.Installations device={row} /> },
      { id: 'policies', label: t.policies, Body: ({ row }) => <code.Policies deviceId={row.deviceId} /> },
      {
        id: 'rules',
        label: ruleMatchTexts.exceptionsTab,
        Body: ({ row }) => <code.Rules deviceId={row.deviceId} tenantId={row.tenantId} />,
      },
      {
        id: 'logs',
        label: t.logs.action,
        Body: ({ row }) => <code.Logs of={deviceLogList} id={row.deviceId} withOperations noneText={t.logs.noneText} />,
      },
    ],
  };
}
