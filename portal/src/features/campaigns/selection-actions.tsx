/** The actions on the selected devices. */
import { useState } from 'react';
import { campaignTexts as t } from '@cloudfit/contract/messages/campaigns.en.ts';
import { Button } from '../../components/button.tsx';
import type { IconName } from '../../components/icon.tsx';
import { onDemand } from '../../components/on-demand.tsx';
import { nearing } from '../../components/overlay/floating.tsx';
import { MenuButton } from '../../components/overlay/menu-button.tsx';
import type { SelectedDevices, SelectionKind } from './start-dialog.tsx';
import './campaigns.css';

const { Component: StartDialog, load } = onDemand(() => import('./start-dialog.tsx').then((module) => module.StartDialog));

const actions: readonly (readonly [SelectionKind, IconName])[] = [
  ['RestartAgent', 'refresh'],
  ['RunOperation', 'actions'],
  ['InstallVersion', 'packages'],
  ['RemovePackage', 'trash'],
];

/** Less frequent actions, in a menu. */
const more: readonly (readonly [SelectionKind, IconName])[] = [
  ['AddOperations', 'plus'],
  ['SetTracing', 'pending'],
  ['EditTags', 'edit'],
  ['Move', 'locations'],
];

interface SelectionActionsProps {
  tenantId: string;
  selected: SelectedDevices;
}

export function SelectionActions({ tenantId, selected }: SelectionActionsProps) {
  const [kind, setKind] = useState<SelectionKind>();
  return (
    <div className="row selection-actions" role="group" aria-label={t.actions} {...nearing} onPointerEnter={() => void load()}>
      {actions.map(([one, icon]) => (
        <Button key={one} icon={icon} aria-haspopup="dialog" onClick={() => setKind(one)}>
          {t.action[one]}
        </Button>
      ))}
      <MenuButton label={t.more} entries={more.map(([one, icon]) => ({ id: one, label: t.action[one], icon, run: () => setKind(one) }))} />
      {kind && <StartDialog kind={kind} tenantId={tenantId} selected={selected} onClose={() => setKind(undefined)} />}
    </div>
  );
}
