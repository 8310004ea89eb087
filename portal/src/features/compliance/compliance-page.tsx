/** The tenant's statuses of the controls of a set, per week. */
import { useMemo, useState } from 'react';
import { Link } from 'react-router';
import { signOffTexts } from '@cloudfit/contract/messages/compliance-evidence.en.ts';
import { complianceTexts as t } from '@cloudfit/contract/messages/compliance.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { Button } from '../../components/button.tsx';
import { usePageTitle } from '../../components/page-title.ts';
import { SearchBox } from '../../components/search-box.tsx';
import { EmptyState } from '../../components/states.tsx';
import { Select } from '../../components/fields/select.tsx';
import { useScope } from '../../rows/use-scope.ts';
import { ControlsGrid } from './controls-grid.tsx';
import { EvidencePanel } from './evidence-panel.tsx';
import { exportWeek } from './export-week.ts';
import { openIn, statusOf } from './narrow.ts';
import { SetMenu } from './set-menu.tsx';
import { SignOffBar } from './sign-off-bar.tsx';
import { StatusSummary } from './status-summary.tsx';
import type { WeekOfTenant } from './use-control-status.ts';
import { useControls, useControlSets, weekQuery } from './use-controls.ts';
import { usePlace } from './use-place.ts';
import { useEvidenceCounts } from './use-evidence-counts.ts';
import { useSignOff } from './use-sign-off.ts';
import { WeeksStrip } from './weeks-strip.tsx';
import { dayOf, weekBefore, WeekPicker, weekText } from './week-picker.tsx';
import '../../resource/list-page.css';
import { isDenied, LoadFailure } from '../../rows/load-failure.tsx';
import './compliance.css';

const searchDebounceMs = 250;

export function CompliancePage() {
  usePageTitle(en.shell.items.compliance);
  const { tenantId } = useScope();
  const [place, change] = usePlace();
  const sets = useControlSets();
  const all = sets.data?.rows ?? [];
  // With a single control set there is nothing to choose.
  const setId = place.set ?? (all.length === 1 ? (all[0]?.id ?? '') : '');
  const { monday } = place;
  const week = useMemo(
    (): WeekOfTenant => ({ tenantId: tenantId ?? '', monday, query: weekQuery(setId, tenantId ?? '', monday) }),
    [tenantId, monday, setId],
  );
  const { controls, isGone, error: failed, refetch } = useControls(week.query, setId !== '');
  const { controls: controlsBefore } = useControls(weekQuery(setId, tenantId ?? '', weekBefore(monday)), setId !== '');
  const before = useMemo(() => new Map(controlsBefore?.map((control) => [control.id, statusOf(control)])), [controlsBefore]);
  const signOff = useSignOff(setId, tenantId ?? '', monday);
  const evidence = useEvidenceCounts(tenantId ?? '', monday);
  const [evidenceOf, setEvidenceOf] = useState<string>();
  const opened = controls?.find(({ id }) => id === evidenceOf);
  const isFrozen = Boolean(signOff.signed);
  const error = sets.error ?? failed;
  const chooseSet = (set: string) => change({ set, search: '', status: '', changed: '' });

  return (
    <div className="page">
      <div className="page-bar">
        <Select
          className="set-picker"
          aria-label={t.set}
          value={setId}
          none={t.chooseSet}
          choices={all.map((set) => ({ value: set.id, label: set.name }))}
          onChange={chooseSet}
        />
        <WeekPicker monday={monday} onChange={(day) => change({ week: day })} />
        <SetMenu setId={setId} onChoose={chooseSet} />
        <span className="grow" />
        {controls && controls.length > 0 && (
          <>
            <SignOffBar
              signOff={signOff}
              set={all.find(({ id }) => id === setId)?.name ?? ''}
              range={weekText(monday)}
              open={openIn(controls, monday)}
            />
            <Link className="btn" to={`../compliancereport?set=${setId}&week=${dayOf(monday)}`}>
              {signOffTexts.report}
            </Link>
          </>
        )}
        <Button icon="download" disabled={!controls} onClick={() => void exportWeek(week)}>
          {t.export}
        </Button>
      </div>
      {setId !== '' && !error && !isGone && (
        <div className="page-bar">
          <SearchBox
            label={t.search}
            value={place.search}
            exact={false}
            withExact={false}
            debounceMs={searchDebounceMs}
            onSearch={(search) => change({ search }, { replace: true })}
          />
          <span className="grow" />
          <StatusSummary
            controls={controls ?? []}
            before={before}
            value={place.status}
            isChangedOnly={place.isChangedOnly}
            onChange={(status) => change({ status: status ?? '' })}
            onChangedOnly={(only) => change({ changed: only ? '1' : '' })}
          />
        </div>
      )}
      {setId !== '' && tenantId && !error && !isGone && (
        <WeeksStrip setId={setId} tenantId={tenantId} monday={monday} onChange={(day) => change({ week: day })} />
      )}
      {error && (isDenied(error) || !controls) ? (
        <div className="table-scroll">
          <LoadFailure
            query={{ error, refetch: () => Promise.all([sets.refetch(), refetch()]) }}
            failed={en.failure.list}
            denied={en.auth.deniedText}
          />
        </div>
      ) : setId === '' || isGone ? (
        <div className="table-scroll">
          {sets.data && (
            <EmptyState
              icon="compliance"
              title={all.length === 0 ? t.noSets : t.chooseSet}
              text={all.length === 0 ? t.noSetsText : t.chooseSetText}
            />
          )}
        </div>
      ) : (
        <ControlsGrid
          controls={controls}
          week={week}
          place={place}
          change={change}
          beside={{ before, evidence, isFrozen, onEvidence: setEvidenceOf }}
        />
      )}
      {opened && <EvidencePanel control={opened} tenantId={week.tenantId} isFrozen={isFrozen} onClose={() => setEvidenceOf(undefined)} />}
    </div>
  );
}
