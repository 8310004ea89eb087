/** Texts of campaigns: work on many devices. */
import type { CampaignKind, CampaignOutcome } from '../enums.ts';

const devices = (n: number) => (n === 1 ? '1 device' : `${n.toLocaleString('en')} devices`);
const are = (n: number) => (n === 1 ? '1 is' : `${n.toLocaleString('en')} are`);

const already: Readonly<Record<CampaignKind, string>> = {
  RunOperation: 'wait for a run of it already.',
  InstallVersion: 'have this version already; nothing changes there.',
  RemovePackage: 'do not have this package; nothing changes there.',
  RestartAgent: 'are to restart already.',
};

const unable: Partial<Record<CampaignKind, string>> = {
  RunOperation: 'do not have this operation once, enabled and on demand; they fail.',
  InstallVersion: 'run another operating system than this version; they fail.',
};

export const campaignTexts = {
  title: 'Campaigns',
  emptyText: 'Select devices in their list, and choose what is to be done on all of them.',
  toDevices: 'Select devices',
  actions: 'Actions on the selected devices',
  action: {
    RunOperation: 'Run operation',
    InstallVersion: 'Install',
    RemovePackage: 'Remove package',
    RestartAgent: 'Restart',
  } satisfies Record<CampaignKind, string>,
  question: {
    RunOperation: (n: number) => `Run an operation on ${devices(n)}`,
    InstallVersion: (n: number) => `Install a version on ${devices(n)}`,
    RemovePackage: (n: number) => `Remove a package from ${devices(n)}`,
    RestartAgent: (n: number) => `Restart the agents of ${devices(n)}`,
  } satisfies Record<CampaignKind, (n: number) => string>,
  explained: {
    RunOperation: 'Each device runs the operation once, as soon as it is connected.',
    InstallVersion: 'Each device downloads and installs this version. The version before comes back where the new one fails its own check.',
    RemovePackage: 'Each device uninstalls the package. Its operations there cannot run any more.',
    RestartAgent: 'Each agent does not measure for a few seconds; what it has measured is kept.',
  } satisfies Record<CampaignKind, string>,
  start: {
    RunOperation: (n: number) => `Run on ${devices(n)}`,
    InstallVersion: (n: number) => `Install on ${devices(n)}`,
    RemovePackage: (n: number) => `Remove from ${devices(n)}`,
    RestartAgent: (n: number) => `Restart ${devices(n)}`,
  } satisfies Record<CampaignKind, (n: number) => string>,
  operation: 'Operation',
  label: 'Label',
  anyLabel: 'The only one of the device',
  package: 'Package',
  version: 'Version',
  choose: 'Please choose',
  onDevices: (name: string, n: number) => `${name} (on ${devices(n)})`,
  noOperations: 'None of these devices has an operation that runs on demand.',
  noPackages: 'None of these devices has an installed package.',
  choicesFailed: 'What these devices have could not be loaded.',
  counting: 'Looking at the devices…',
  previewFailed: 'How many devices are concerned could not be found out. You can start it anyhow.',
  tooMany: (max: number) => `Select at most ${max.toLocaleString('en')} devices.`,
  found: {
    acts: (n: number) => `${devices(n)} can begin at once.`,
    offline: (n: number) => `${are(n)} offline: they begin when they are back, within 24 hours.`,
    already: (kind: CampaignKind, n: number) => `${n.toLocaleString('en')} ${already[kind]}`,
    unable: (kind: CampaignKind, n: number) => `${n.toLocaleString('en')} ${unable[kind] ?? 'cannot do it; they fail.'}`,
    disabled: (n: number) => `${are(n)} disabled; they fail.`,
  },
  started: 'The campaign has begun.',
  progress: 'Progress',
  progressText: (ended: number, total: number) => `${ended.toLocaleString('en')} of ${total.toLocaleString('en')}`,
  outcomes: {
    Waiting: 'Waiting',
    Running: 'Running',
    Done: 'Done',
    Failed: 'Failed',
    Stopped: 'Stopped',
  } satisfies Record<CampaignOutcome, string>,
  page: {
    label: 'Campaign',
    back: 'All campaigns',
    startedBy: 'Started by',
    device: 'Device',
    output: 'Output',
    outputOf: (device: string) => `Output of ${device}`,
    noneText: 'Choose another outcome, or clear the search.',
    stop: 'Stop',
    stopQuestion: (waiting: number) =>
      `Stop this campaign? What ${devices(waiting)} did not begin yet is taken back; what has begun goes on to its end.`,
    stopping: 'The campaign stops.',
    retry: (n: number) => `Retry failed (${n.toLocaleString('en')})`,
    retrying: (n: number) => `The campaign begins again on ${devices(n)}.`,
    failed: 'The campaign could not be changed. Please try again.',
    all: 'All',
  },
} as const;
