/** Backup, test of a restore and licence by button: what runs, how far it is, and how the last one ended. */
import { useEffect, useState } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { InstallationRun, InstallationWork, RunKind } from '@cloudfit/contract/actions/installation-work.ts';
import { installationHealth, installationWork, installLicence, startInstallationWork } from '@cloudfit/contract/calls.ts';
import { installationTexts } from '@cloudfit/contract/messages/installation.en.ts';
import { call, useCall } from '../../api/call.ts';
import { failureText } from '../../api/client.ts';
import { usePersonName } from '../../api/people-names.ts';
import { Button } from '../../components/button.tsx';
import { Field } from '../../components/field.tsx';
import { ProgressBar } from '../../components/progress-bar.tsx';
import { exactTime } from '../../theme/times.ts';
import { ErrorNotice } from '../../components/states.tsx';

const t = installationTexts.run;

const often = 2_000;
const seldom = 30_000;

function Running({ run }: { run: InstallationRun }) {
  const nameOf = usePersonName();
  return (
    <div className="health-run" role="status">
      <span>
        {t.running[run.kind]}: {t.steps[run.step]}
        {run.all > 0 && ` ${t.parts(run.done, run.all)}`}
      </span>
      <ProgressBar done={run.done} all={run.all} label={t.running[run.kind]} />
      <span className="faint">{t.begun(nameOf(run.by), exactTime(run.beganAt))}</span>
    </div>
  );
}

function Ended({ run }: { run: InstallationRun }) {
  const title = run.state === 'done' ? t.done : t.failed;
  return (
    <p className={run.state === 'done' ? 'notice' : 'notice error'} role="status">
      {title[run.kind]}
      {run.endedAt && ` ${exactTime(run.endedAt)}`}: {run.outcome}
    </p>
  );
}

export interface Runs {
  work: InstallationWork | undefined;
  /** Whether one may be started now. */
  isFree: boolean;
  start: (kind: RunKind) => void;
  error: Error | null;
}

/** The run of the installation, and the way to start another. */
export function useRuns(enabled: boolean): Runs {
  const client = useQueryClient();
  const { data, error } = useCall(
    installationWork,
    {},
    {
      enabled,
      refetchInterval: ({ state }) => (state.data?.run?.state === 'running' ? often : seldom),
    },
  );
  const start = useMutation({
    mutationFn: (kind: RunKind) => call(startInstallationWork, { kind }),
    onSettled: () => client.invalidateQueries({ queryKey: [installationWork] }),
  });
  const ended = data?.run?.endedAt;
  useEffect(() => {
    // The checks show the new backup, or the trial.
    if (ended) void client.invalidateQueries({ queryKey: [installationHealth] });
  }, [client, ended]);
  return {
    work: data,
    isFree: data !== undefined && data.run?.state !== 'running' && !start.isPending,
    start: start.mutate,
    error: start.error ?? error,
  };
}

interface StartButtonProps {
  runs: Runs;
  kind: RunKind;
  small?: boolean;
}

/** Starts a backup or the test of a restore. */
export function StartButton({ runs, kind, small = false }: StartButtonProps) {
  return (
    <Button icon={kind === 'backup' ? 'download' : 'check'} small={small} disabled={!runs.isFree} onClick={() => runs.start(kind)}>
      {t.start[kind]}
    </Button>
  );
}

function BackupAndRestore({ runs }: { runs: Runs }) {
  const { work, error } = runs;
  const run = work?.run;
  return (
    <>
      {work && <p className="muted">{t.hint(work.backupFolder)}</p>}
      <p className="row health-buttons">
        <StartButton runs={runs} kind="backup" />
        <StartButton runs={runs} kind="drill" />
      </p>
      {run && (run.state === 'running' ? <Running run={run} /> : <Ended run={run} />)}
      <ErrorNotice text={error && failureText(error)} />
    </>
  );
}

/** Installs a licence from its file. */
function LicenceFile() {
  const client = useQueryClient();
  const [fileKey, setFileKey] = useState(0);
  const install = useMutation({
    mutationFn: async (file: File) => call(installLicence, { text: await file.text() }),
    onSuccess: () => client.invalidateQueries({ queryKey: [installationHealth] }),
    onSettled: () => setFileKey((key) => key + 1),
  });
  return (
    <>
      <Field label={t.licenceFile}>
        {(aria) => (
          <input
            {...aria}
            key={fileKey}
            className="input"
            type="file"
            disabled={install.isPending}
            onChange={(event) => {
              const [file] = event.target.files ?? [];
              if (file) install.mutate(file);
            }}
          />
        )}
      </Field>
      <div role="status">
        {install.data && <p className="notice">{t.licenceInstalled(install.data.customer, exactTime(install.data.expires))}</p>}
        {install.error && <p className="notice error">{failureText(install.error)}</p>}
      </div>
    </>
  );
}

export function InstallationActions({ runs }: { runs: Runs }) {
  return (
    <div className="health-two">
      <section className="health-card" aria-label={t.title}>
        <h3>{t.title}</h3>
        <BackupAndRestore runs={runs} />
      </section>
      <section className="health-card" aria-label={t.licence}>
        <h3>{t.licence}</h3>
        <LicenceFile />
      </section>
    </div>
  );
}
