/** Starts all loops of the agent, such as the connection and the heartbeats, and stops them together. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { AgentConfiguration } from '@cloudfit/contract/agent/messages.ts';
import type { UninstallOrder } from '@cloudfit/contract/agent/uninstall.ts';
import { createSystemCollector } from './collectors/system.ts';
import { createClock } from './connection/clock.ts';
import { createClient } from './connection/client.ts';
import { followConfiguration } from './connection/configuration.ts';
import { createHttp } from './connection/http.ts';
import { otherMachine, registerStart } from './connection/register.ts';
import { runHeartbeats } from './heartbeat.ts';
import { readFacts } from './identity/facts.ts';
import { openIdentityFile } from './identity/identity-file.ts';
import { becomeAnotherMachine, checkMachine } from './identity/other-machine.ts';
import { replaceKeys } from './identity/replace-key.ts';
import { createSignIn } from './identity/sign-in.ts';
import { openConfigurationFile } from './configuration-file.ts';
import type { Log } from './log.ts';
import { createLogBuffer, logsPath, sendLogs } from './log-buffer.ts';
import { prepareStateFolder, readMachine } from './machine.ts';
import { openJournal } from './operations/journal.ts';
import { runOperations } from './operations/operations.ts';
import { collecting, openRunReports } from './operations/reports.ts';
import { openItemOutbox } from './outbox/item-outbox.ts';
import { openPacketOutbox } from './outbox/packet-outbox.ts';
import type { StoredPacket } from './outbox/packet-outbox.ts';
import { sendPackets } from './outbox/sender.ts';
import { refusalOf } from './operations/refused-packet.ts';
import type { RunParts } from './operations/run.ts';
import { openKeyFile } from './packages/key-file.ts';
import { createPackages } from './packages/packages.ts';
import { awaitOwnVersion, takeBackRefused } from './program/own-package.ts';
import { openProgramState } from './program/program-state.ts';
import { isSupervised } from './program/restart.ts';
import { faultOfOrder, uninstallAgent } from './program/uninstall.ts';
import type { Settings } from './settings.ts';
import { createSignal } from './signal.ts';
import { wait } from './wait.ts';
import { agentVersion } from './version.ts';

/** Minimum milliseconds between start and restart, so that a restart flag that is never cleared does not stop measuring. */
const minAgeMs = 5_000;

/**
 * Milliseconds from the registration of a new agent version to its confirmation, if the version still runs; in a short trial,
 * a quarter of the trial.
 */
const confirmAfterMs = 10_000;

export type AgentExit = 'stopped' | 'restart' | 'uninstalled';

/** Runs the agent until `signal` aborts or a restart is due. `printLine` writes to the log of this machine. */
export async function runAgent(settings: Settings, printLine: Log, signal: AbortSignal): Promise<AgentExit> {
  prepareStateFolder(settings.stateDir);
  const file = openIdentityFile(settings.stateDir);
  const facts = readFacts(settings.systemRoot, file.read()?.facts);
  await checkMachine(settings.stateDir, file, facts, printLine);
  const machine = readMachine(settings.stateDir, facts);
  const [configurationChanged, operationsChanged, packetAdded, lineAdded] = [
    createSignal(),
    createSignal(),
    createSignal(),
    createSignal(),
  ];
  const restarting = new AbortController();
  const leaving = new AbortController();
  const ending = AbortSignal.any([signal, restarting.signal, leaving.signal]);
  let order: UninstallOrder | undefined;
  const programState = openProgramState(settings.stateDir);
  takeBackRefused(settings.stateDir, programState);
  const configurationFile = openConfigurationFile(settings.stateDir);
  let configuration = configurationFile.read();
  let isConfirmed = false;

  const clock = createClock((offsetMs) => {
    const seconds = Math.round(Math.abs(offsetMs) / 1_000);
    log(
      'warn',
      offsetMs === 0
        ? "The clock of this machine agrees with the server's."
        : `The clock of this machine is ${seconds} s ${offsetMs < 0 ? 'ahead of' : 'behind'} the server's; the times of packets are corrected.`,
    );
  });
  const logBuffer = createLogBuffer(lineAdded, clock.now);
  const isTraced = () => Date.parse(configuration?.traceExpiration ?? '') > clock.now().getTime();
  const log: Log = (level, text) => {
    if (level === 'trace' && !isTraced()) return;
    printLine(level, text);
    logBuffer.add(level, text);
  };
  // Logging the call that sends the log would add a line per call, without end.
  const callLog: Log = (level, text) => {
    if (level !== 'trace' || !text.includes(logsPath)) log(level, text);
  };
  const http = createHttp({ url: settings.url, proxy: settings.proxy, log: callLog, clock });
  const onUninstall = (next: UninstallOrder, registrationId: string): void => {
    const fault = faultOfOrder(next, registrationId, openKeyFile(settings.stateDir).read(), clock.now());
    if (fault !== undefined) return log('error', `An order to uninstall this agent is not followed: ${fault}.`);
    order = next;
    leaving.abort();
  };
  const credentials = createSignIn({
    send: http.send,
    file,
    machine,
    enrolmentToken: settings.token,
    clock,
    log,
    onUninstall,
    signal: ending,
  });
  const client = createClient({ http, credentials, log });
  const outbox = openPacketOutbox({ folder: join(settings.stateDir, 'outbox'), maxBytes: settings.outboxBytes, log });
  const runReports = openRunReports(settings.stateDir, settings.outboxBytes / 4, log);
  const sayOfOperation: RunParts['log'] = (level, text, deviceOperationId) => {
    if (level !== 'trace' || isTraced()) logBuffer.add(level, text, deviceOperationId);
  };
  const journal = openJournal(settings.stateDir, log, clock.now, (run) => runReports.add(run, true));
  // After the journal, which kills listeners that a killed agent has left.
  const items = openItemOutbox({ stateDir: settings.stateDir, maxBytes: settings.outboxBytes / 2, clock, log, say: sayOfOperation });
  const notifyPackets = collecting(packetAdded);

  const packages = createPackages({
    stateDir: settings.stateDir,
    client,
    clock,
    refusal: (packageVersionId) => {
      const refused = programState.refused();
      return refused?.packageVersionId === packageVersionId ? refused.reason : undefined;
    },
    log,
  });
  const { installed } = packages;

  function setConfiguration(next: AgentConfiguration | undefined): void {
    configuration = next;
    try {
      configurationFile.write(next);
    } catch (error) {
      log('warn', `The configuration cannot be written to disk (${(error as NodeJS.ErrnoException).code}).`);
    }
    configurationChanged.notify();
    operationsChanged.notify();
  }

  async function applyConfiguration(next: AgentConfiguration): Promise<void> {
    isConfirmed = true;
    setConfiguration(next);
    log('trace', `The configuration ${next.version} is in use.`);
    if (!next.restartAgentFlag) return;
    log('info', 'The server requests a restart.');
    await wait(minAgeMs - performance.now(), ending);
    restarting.abort();
  }

  /** Starts again as a new machine, because another one runs with the identity of this one. */
  async function becomeOther(): Promise<void> {
    printLine('warn', 'Another machine runs with the identity of this one; the agent enrols this machine as a new one.');
    await becomeAnotherMachine(settings.stateDir, file, facts, clock.now());
    await wait(minAgeMs - performance.now(), ending);
    restarting.abort();
  }

  async function connect(): Promise<void> {
    while (!ending.aborted) {
      // The registration tells the server that the agent has started, so that the server clears the restart flag.
      const deviceId = await registerStart(client, machine, packages.pinKeys, log, ending);
      if (deviceId === null) return;
      if (deviceId === otherMachine) return becomeOther();
      log('info', `This machine is device ${deviceId}; agent ${agentVersion}.`);
      // Waits before confirming a new version, to show that it also measures and sends.
      void wait(Math.min(confirmAfterMs, settings.trialMs / 4), ending).then(() => ending.aborted || programState.confirm());
      if (configuration?.deviceId !== deviceId) setConfiguration(undefined);
      const end = await followConfiguration(
        client,
        // Fetches the configuration even if it equals the stored one, because a request in the stored one may have expired.
        isConfirmed ? configuration : undefined,
        (next) => void applyConfiguration(next),
        machine.instanceId,
        log,
        ending,
      );
      if (end === otherMachine) return becomeOther();
      if (end === 'device-removed') {
        log('warn', 'The device was removed on the server.');
        setConfiguration(undefined);
      }
    }
  }

  function onRefused(packet: StoredPacket, reason: string): void {
    const refusal = refusalOf(packet, reason, clock.now());
    if (!refusal) return;
    runReports.add(refusal.report, true);
    outbox.append({ messageId: randomUUID(), ...refusal.packet });
    notifyPackets(true);
  }

  const addPacket: RunParts['addPacket'] = ({ operationRunId, deviceOperationId, started }, message, isUrgent) => {
    const run = { operationRunId, started };
    const packet = { messageId: randomUUID(), entityId: deviceOperationId, ...clock.stamp(), message, run };
    if (!outbox.append(packet)) onRefused(packet, 'It is too large to be sent.');
    notifyPackets(isUrgent);
  };

  const heartbeats = runHeartbeats(
    { collect: createSystemCollector(machine), outbox, configuration: () => configuration, configurationChanged, packetAdded, clock, log },
    ending,
  );
  async function followPackages(): Promise<void> {
    while (!ending.aborted) {
      await installed.changed.wait(3_600_000, ending);
      operationsChanged.notify();
    }
  }

  const operations = runOperations(
    {
      configuration: () => configuration,
      isConfirmed: () => isConfirmed,
      changed: operationsChanged,
      installed,
      client,
      facts: () => ({
        DeviceId: configuration?.deviceId ?? '',
        DeviceName: configuration?.name ?? '',
        TenantId: configuration?.tenantId ?? '',
        AgentVersion: agentVersion,
        ServerUrl: settings.url,
      }),
      now: clock.now,
      journal,
      itemFolderOf: items.folderOf,
      takeItems: items.take,
      addPacket,
      report: (run, isUrgent) => runReports.add(run, isUrgent),
      log: sayOfOperation,
    },
    ending,
  );
  try {
    await Promise.all([
      connect(),
      heartbeats,
      packages.follow(() => configuration, configurationChanged, ending),
      awaitOwnVersion(
        {
          configuration: () => configuration,
          configurationChanged,
          installed: packages.installed,
          state: programState,
          canSwitch: isSupervised(),
          log,
        },
        ending,
      ).then((end) => end === 'switch' && restarting.abort()),
      operations,
      followPackages(),
      runReports.send(client, ending),
      items.send(client, ending),
      sendPackets({ outbox, client, clock, packetAdded, onRefused, log }, ending),
      sendLogs(logBuffer, client, lineAdded, ending),
      replaceKeys(
        {
          client,
          credentials,
          file,
          clock,
          isRequested: () => configuration?.replaceKey === true,
          requestChanged: configurationChanged,
          log,
        },
        ending,
      ),
    ]);
  } finally {
    outbox.close();
    runReports.close();
    items.close();
  }
  if (order && !signal.aborted)
    return uninstallAgent(
      {
        stateDir: settings.stateDir,
        tokenFile: settings.tokenFile,
        send: http.send,
        file,
        clock,
        log: printLine,
        removePackages: packages.removeAll,
      },
      order,
      signal,
    );
  return restarting.signal.aborted && !signal.aborted ? 'restart' : 'stopped';
}
