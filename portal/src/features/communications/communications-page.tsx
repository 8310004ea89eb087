import { useMemo, useState } from 'react';
import { Link } from 'react-router';
import { communicationUpdateTexts } from '@cloudfit/contract/messages/communication-updates.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { useMay } from '../../api/lookups.ts';
import { Button } from '../../components/button.tsx';
import { onDemand } from '../../components/on-demand.tsx';
import { nearing, Pop } from '../../components/overlay/floating.tsx';
import { ClearFilters, FilterLine, type FilterPartProps } from '../../filters/filter-bar.tsx';
import { FilterChips } from '../../filters/filter-chip.tsx';
import { useListState } from '../../filters/use-list-state.ts';
import { usePanel } from '../../hooks/use-panel.ts';
import { ListGrid } from '../../resource/list-grid.tsx';
import { ListPager } from '../../resource/list-pager.tsx';
import { ListPanel } from '../../resource/list-panel.tsx';
import { ListToolbar } from '../../resource/list-toolbar.tsx';
import { useListScreen } from '../../resource/use-list-screen.ts';
import { usePanelOpening } from '../../resource/use-opening.ts';
import { useScope } from '../../rows/use-scope.ts';
import { communicationAddress } from './address.ts';
import type { CommunicationRow } from './communication.rules.ts';
import { communicationsView } from './communications.view.tsx';
import { FilterForm } from './filter-form.tsx';
import { useOpenReport } from './use-report.ts';
import '../../resource/list-page.css';

const reportDialog = onDemand(() => import('./report-dialog.tsx').then((module) => module.ReportDialog));

/** The address names a communication by its public number. */
const publicNumber = (row: CommunicationRow) => String(row.publicWorkUnitCommunicationId);

function Filters(part: FilterPartProps) {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const close = () => setAnchor(null);
  return (
    <FilterLine>
      <FilterChips {...part} />
      <Button small look="quiet" icon="plus" {...nearing} aria-haspopup="dialog" onClick={(event) => setAnchor(event.currentTarget)}>
        {en.grid.addFilter}
      </Button>
      <ClearFilters {...part} />
      {anchor && (
        <Pop anchor={anchor} label={en.grid.filterBy} onClose={close}>
          <FilterForm
            filters={part.state.filters}
            onApply={(filters) => {
              part.onChange({ filters });
              close();
            }}
            onClose={close}
          />
        </Pop>
      )}
    </FilterLine>
  );
}

export function CommunicationsPage() {
  const mayEdit = useMay()('WorkUnitCommunications', 'edit');
  const { tenantId } = useScope();
  const report = useOpenReport();
  const { open } = report;
  const view = useMemo(() => communicationsView(open), [open]);
  const panel = usePanel(view.panelParam);
  const screen = useListScreen(view, useListState(communicationAddress), { polls: !panel.id });
  const opening = usePanelOpening(view, panel, { name: publicNumber });
  const opened = panel.id ? screen.rows.find((row) => publicNumber(row) === panel.id) : undefined;
  return (
    <>
      <div className="page">
        <ListToolbar
          screen={screen}
          open={panel.open}
          bar={
            mayEdit &&
            tenantId && (
              <>
                <Link to={`/${tenantId}/communicationcontacts`}>{communicationUpdateTexts.contacts}</Link>
                <Link to={`/${tenantId}/communicationtemplates`}>{communicationUpdateTexts.template}</Link>
              </>
            )
          }
        >
          <Filters listing={view} state={screen.state} onChange={screen.change} />
        </ListToolbar>
        <div className="page-middle">
          <ListGrid screen={screen} opening={opening} opened={opened} />
        </div>
        <ListPager screen={screen} />
        <ListPanel view={view} panel={panel} row={opened} />
      </div>
      {report.type && <reportDialog.Component type={report.type} number={report.number} onClose={report.close} />}
    </>
  );
}
