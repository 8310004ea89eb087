import { useCallback, useEffect, useRef, useState, type ReactNode } from 'react';
import { useSearchParams } from 'react-router';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { eq } from '@cloudfit/contract/query/build.ts';
import { openStates, workUnitType } from '@cloudfit/contract/enums.ts';
import { guidSchema } from '@cloudfit/contract/resource.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { gridTexts } from '@cloudfit/contract/messages/grid.en.ts';
import { massEditTexts } from '@cloudfit/contract/messages/mass-edit.en.ts';
import { useMay, useWorkUnitTypes, type WorkUnitTypeChoice } from '../../api/lookups.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { atFirstInput } from '../../components/overlay/floating.tsx';
import { MenuButton } from '../../components/overlay/menu-button.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { onDemand } from '../../components/on-demand.tsx';
import { defaultViews } from '../../filters/default-views.ts';
import { AddFilter, ClearFilters, FilterLine, QuickFilters, toggled } from '../../filters/filter-bar.tsx';
import { FilterChips } from '../../filters/filter-chip.tsx';
import type { FilterPanelProps } from '../../filters/filter-panel.tsx';
import type { ChosenFilters, FiltersOf } from '../../filters/listing.ts';
import { namesFilters, type ListState } from '../../filters/list-state.ts';
import { useFilterPanel } from '../../filters/use-filter-panel.ts';
import { useListState, type ChangeList } from '../../filters/use-list-state.ts';
import { selectedKeys, useSelection } from '../../hooks/use-selection.ts';
import { ListGrid } from '../../resource/list-grid.tsx';
import { ListPager } from '../../resource/list-pager.tsx';
import { ListPanel } from '../../resource/list-panel.tsx';
import { ListToolbar } from '../../resource/list-toolbar.tsx';
import { SelectionLine } from '../../resource/selection-line.tsx';
import { useListScreen } from '../../resource/use-list-screen.ts';
import { usePanelOpening } from '../../resource/use-opening.ts';
import { choiceLabel } from '../../rows/cells.tsx';
import '../../resource/list-page.css';
import { useAddress } from '../../hooks/use-address.ts';
import { massEditParam, printIds } from '../../entities/work-units/selected-ids.ts';
import type { PageCommand } from '../../hooks/page-commands.ts';
import { newId, usePanel } from '../../hooks/use-panel.ts';
import { fetchPage } from '../../rows/use-rows.ts';
import { FoundOutside } from './found-outside.tsx';
import { FoundPlaces } from './found-places.tsx';
import { isFiltered, rememberFilters, workUnitsAddress } from './list-address.ts';
import { prefetchWorkUnit } from './panel/use-work-unit.ts';
import type { PanelWorkUnit } from './work-unit.rules.ts';
import { loadVerbs } from './verbs/unit-commands.ts';
import { useListVerbs } from './verbs/use-list-verbs.ts';
import { workUnitsView } from './work-units.view.tsx';

const { Component: FilterPanel } = onDemand<FilterPanelProps>(() =>
  import('../../filters/filter-panel.tsx').then((module) => module.FilterPanel),
);

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
function ActionsMenu({ selected, verbs }: { selected: readonly string[]; verbs: readonly PageCommand[] }) {
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
      entries={[
        { id: 'massEdit', label: massEditTexts.title, icon: 'edit', disabled: selected.length === 0, run: massEdit },
        ...verbs
          .filter(({ onlyTyped }) => onlyTyped !== true)
          .map(({ id, label, icon, key, run }, at) => ({ id, label, icon, key, run, divided: at === 0 })),
      ]}
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
    queryFn: ({ signal }) => fetchPage(workUnits, { filter: eq(workUnits, 'publicWorkUnitId', number), top: 1 }, signal),
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

const inOpenStates = { filters: { stateId: openStates }, label: gridTexts.openInOtherStates };

/** States that the menu of quick filters offers (WU-045). */
const quickStates = ['New', 'Acknowledged', 'InProgress', 'OnHold'];

interface FiltersProps {
  state: ListState;
  change: ChangeList;
  panel: ReturnType<typeof useFilterPanel>;
  children: ReactNode;
}

function Filters({ state, change, panel, children }: FiltersProps) {
  const part = { listing: workUnitsView, state, onChange: change };
  const { stateId: states = [] }: FiltersOf<typeof workUnits> = state.filters;
  return (
    <FilterLine>
      <FilterChips {...part} />
      <AddFilter {...part} />
      <Button small look="quiet" icon="sliders" aria-expanded={panel.isOpen} onClick={panel.toggle}>
        {gridTexts.allFilters}
      </Button>
      <QuickFilters
        {...part}
        more={quickStates.map((value, at) => ({
          id: value,
          label: choiceLabel(workUnits.fields.stateId, value),
          divided: at === 0,
          checked: states.includes(value),
          run: () => change({ filters: { ...state.filters, stateId: toggled(states, value) } }),
        }))}
      />
      <ClearFilters {...part} />
      {children}
    </FilterLine>
  );
}

/**
 * The state of the list. Its filters are stored for the next visit, and written into an address without filters, so that the
 * address can be sent to others.
 */
function useRememberedState(): readonly [ListState, ChangeList] {
  const [params] = useSearchParams();
  const setAddress = useAddress();
  const [state, setState] = useListState(workUnitsAddress);
  const { workunitsv2: opening } = defaultViews.use();
  const written = useRef<{ query: string; opening: string | undefined }>(undefined);
  useEffect(() => {
    if (!namesFilters(params) && isFiltered(state)) {
      written.current = { query: workUnitsAddress.write(params, state).toString(), opening };
      setAddress((now) => workUnitsAddress.write(now, state), { replace: true });
    } else if (opening !== undefined && written.current?.opening !== opening && written.current?.query === params.toString()) {
      // This browser learns only now with which view the list opens.
      written.current = undefined;
      setAddress(() => new URLSearchParams(opening), { replace: true });
    }
  }, [opening, params, setAddress, state]);
  const change = useCallback<ChangeList>(
    (part, options) => {
      if (part.filters || part.quick) rememberFilters({ ...state, ...part });
      setState(part, options);
    },
    [setState, state],
  );
  return [state, change];
}

export function WorkUnitsPage() {
  const client = useQueryClient();
  const [auto, setAuto] = useState(() => localStorage.getItem(autoKey) !== 'off');
  const [params] = useSearchParams();
  // Called before `usePublicNumber` and `useProtocolId`: they change the address, which replaces the filters of the last visit.
  const remembered = useRememberedState();
  usePublicNumber();
  useProtocolId();
  const toggle = () => {
    localStorage.setItem(autoKey, auto ? 'off' : 'on');
    setAuto(!auto);
  };
  const panel = usePanel(workUnitsView.panelParam);
  const filterPanel = useFilterPanel();
  const isBusy = panel.id !== null || params.has(massEditParam) || params.has('intake');
  const screen = useListScreen(workUnitsView, remembered, { refresh: auto, polls: !isBusy });
  const load = useCallback((unit: PanelWorkUnit) => prefetchWorkUnit(client, unit.workUnitId, unit.tenantId), [client]);
  const opening = usePanelOpening(workUnitsView, panel, { load });
  const [selection, setSelection] = useSelection(workUnits.name);
  const { state, change, list, rows } = screen;
  const selected = selectedKeys(selection);
  const verbs = useListVerbs({ rows, selected, openId: panel.id, open: opening.open });
  useEffect(() => atFirstInput(() => void loadVerbs()), []);
  const opened = panel.id ? rows.find((unit) => String(unit.workUnitId) === panel.id) : undefined;
  const changeFilters = useCallback((filters: ChosenFilters) => change({ filters }, { replace: true }), [change]);
  return (
    <div className="page">
      <ListToolbar
        screen={screen}
        open={panel.open}
        bar={
          <span data-acts>
            <ActionsMenu selected={selected} verbs={verbs} />
          </span>
        }
        create={<CreateMenu />}
      />
      <Filters state={state} change={change} panel={filterPanel}>
        <span className="grow" />
        <span className="chip refreshed">
          {list.dataUpdatedAt > 0 ? (
            <>
              {en.grid.refreshed('')}
              <RelativeTime value={new Date(list.dataUpdatedAt).toISOString()} />
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
      </Filters>
      <FoundOutside state={state} count={list.isPlaceholderData ? undefined : screen.count} change={change} />
      <div className="page-middle">
        <FoundPlaces state={state} rows={rows}>
          <ListGrid
            screen={screen}
            opening={opening}
            opened={opened}
            selection={{ value: selection, onChange: setSelection }}
            wider={inOpenStates}
          />
        </FoundPlaces>
        {filterPanel.isOpen && (
          <FilterPanel listing={workUnitsView} filters={state.filters} onChange={changeFilters} onClose={filterPanel.toggle} />
        )}
      </div>
      <ListPager screen={screen}>
        <SelectionLine screen={screen} selection={selection} onChange={setSelection} />
      </ListPager>
      <ListPanel view={workUnitsView} panel={panel} row={opened} />
    </div>
  );
}
