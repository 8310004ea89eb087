import { useCallback, useEffect, useState } from 'react';
import { useSearchParams } from 'react-router';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { eq } from '@cloudfit/contract/query/build.ts';
import { workUnitType } from '@cloudfit/contract/enums.ts';
import { guidSchema } from '@cloudfit/contract/resource.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { gridTexts } from '@cloudfit/contract/messages/grid.en.ts';
import { massEditTexts } from '@cloudfit/contract/messages/mass-edit.en.ts';
import { useMay, useWorkUnitTypes, type WorkUnitTypeChoice } from '../../api/lookups.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { MenuButton } from '../../components/overlay/menu-button.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { ListPage } from '../../resource/list-page.tsx';
import { useAddress } from '../../hooks/use-address.ts';
import { massEditParam, printIds } from '../../entities/work-units/selected-ids.ts';
import { newId } from '../../hooks/use-panel.ts';
import { fetchPage } from '../../rows/use-rows.ts';
import { workUnitPanel } from './panel/work-unit-panel-lazy.tsx';
import { ViewsMenu } from './saved-views/views-menu.tsx';
import { workUnitsView } from './work-units.view.tsx';

const autoKey = 'cloudfit.workUnits.autoRefresh';

/** Incident, Change Request and Intake, then one entry per further type. */
function CreateMenu() {
  const { data: types } = useWorkUnitTypes();
  const may = useMay();
  const setAddress = useAddress();
  if (!may('WorkUnits', 'create')) return null;
  const first: number[] = [workUnitType.incident, workUnitType.changeRequest];
  const create = (type: number) =>
    setAddress(
      (next) => {
        next.set('workUnitId', newId);
        next.set('type', String(type));
        return undefined;
      },
      { now: true },
    );
  const takeCall = () =>
    setAddress(
      (next) => {
        for (const name of ['workUnitId', 'type', 'tab']) next.delete(name);
        next.set('intake', newId);
        return undefined;
      },
      { now: true },
    );
  const entry = (type: WorkUnitTypeChoice) => ({
    id: String(type.workUnitTypeId),
    label: type.name,
    run: () => create(type.workUnitTypeId),
  });
  return (
    <MenuButton
      look="primary"
      label={en.workUnits.createMenu}
      isCreate
      entries={
        types && [
          ...types.filter((type) => first.includes(type.workUnitTypeId)).map(entry),
          { id: 'intake', label: en.workUnits.intake, run: takeCall },
          ...types.filter((type) => !first.includes(type.workUnitTypeId)).map((type, at) => ({ ...entry(type), divided: at === 0 })),
        ]
      }
    />
  );
}

/** Actions on the selected rows. The address names them, so that the panel survives a reload and can be shared. */
function ActionsMenu({ selected }: { selected: readonly string[] }) {
  const may = useMay();
  const setAddress = useAddress();
  if (!may('WorkUnits', 'edit')) return null;
  const massEdit = () =>
    setAddress(
      (next) => {
        for (const name of ['workUnitId', 'type', 'tab']) next.delete(name);
        next.set(massEditParam, printIds(selected.map(Number)));
        return undefined;
      },
      { now: true },
    );
  return (
    <MenuButton
      small
      label={gridTexts.actions}
      entries={[{ id: 'massEdit', label: massEditTexts.title, icon: 'edit', disabled: selected.length === 0, run: massEdit }]}
    />
  );
}

/** `protocolId` in the address becomes a filter that shows as a chip. */
function useProtocolId() {
  const [params] = useSearchParams();
  const setAddress = useAddress();
  const protocolId = params.get('protocolId');
  useEffect(() => {
    if (protocolId === null) return;
    setAddress(
      (next) => {
        next.delete('protocolId');
        if (guidSchema.safeParse(protocolId).success) next.set('f.protocolId', protocolId);
        return undefined;
      },
      { replace: true },
    );
  }, [protocolId, setAddress]);
}

/** `publicWorkUnitId` in the address is looked up and becomes the open panel. */
function usePublicNumber() {
  const [params] = useSearchParams();
  const setAddress = useAddress();
  const number = params.get('publicWorkUnitId');
  const { data } = useQuery({
    queryKey: [workUnits.name, 'byPublicNumber', number],
    queryFn: ({ signal }) => fetchPage(workUnits, { filter: eq('publicWorkUnitId', number, 'bigint'), top: 1 }, signal),
    enabled: number !== null && /^\d+$/.test(number),
  });
  const workUnitId = data?.rows[0]?.workUnitId;
  useEffect(() => {
    if (workUnitId === undefined) return;
    setAddress(
      (next) => {
        next.delete('publicWorkUnitId');
        next.set('workUnitId', String(workUnitId));
        return undefined;
      },
      { replace: true },
    );
  }, [workUnitId, setAddress]);
}

export function WorkUnitsPage() {
  const client = useQueryClient();
  const [auto, setAuto] = useState(() => localStorage.getItem(autoKey) !== 'off');
  const [readAt, setReadAt] = useState<number>();
  const onRead = useCallback((at: number) => setReadAt(at), []);
  const [params] = useSearchParams();
  usePublicNumber();
  useProtocolId();
  useEffect(() => {
    const timer = setTimeout(() => void workUnitPanel.load(), 400);
    return () => clearTimeout(timer);
  }, []);
  const toggle = () => {
    localStorage.setItem(autoKey, auto ? 'off' : 'on');
    setAuto(!auto);
  };
  return (
    <ListPage
      view={workUnitsView}
      selectable
      busy={params.has(massEditParam) || params.has('intake')}
      bar={({ selected }) => <ActionsMenu selected={selected} />}
      refresh={auto}
      onRead={onRead}
      create={<CreateMenu />}
      filterBar={
        <>
          <ViewsMenu view={workUnitsView} />
          <span className="grow" />
          <span className="chip refreshed">
            {readAt ? (
              <>
                {en.grid.refreshed('')}
                <RelativeTime value={new Date(readAt).toISOString()} />
              </>
            ) : (
              en.grid.notRefreshed
            )}
          </span>
          <IconButton
            small
            icon="refresh"
            label={en.grid.refreshNow}
            onClick={() => void client.invalidateQueries({ queryKey: [workUnits.name] })}
          />
          <Button small aria-pressed={auto} onClick={toggle}>
            {en.grid.autoRefresh} {auto ? en.common.on : en.common.off}
          </Button>
        </>
      }
    />
  );
}
