/** `cloudfit why` and `cloudfit run`: what rules made of a device or unit, and operations of devices. */
import { enqueue, explainEntity, explainMatch } from '@cloudfit/contract/calls.ts';
import { literal } from '@cloudfit/contract/query/build.ts';
import type { CloudFitClient } from '../client.ts';
import { wait } from '../send.ts';
import { MissingError, OutcomeError, textOption, UsageError, type CommandPart } from './command.ts';
import { unitOf } from './units.ts';

const guid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** The device of a name or id; throws when there is none, or more than one. */
async function deviceOf(api: CloudFitClient, name: string) {
  const filter = guid.test(name) ? `deviceId eq ${name}` : `name eq ${literal('text', name)}`;
  const { value } = await api.list('devices', { filter, top: 10 });
  const [device] = value;
  if (!device) throw new MissingError(`There is no device ${name} that you may see.`);
  if (value.length > 1)
    throw new OutcomeError(`There are several devices ${name}; use an id: ${value.map((row) => row.deviceId).join(', ')}`);
  return device;
}

const actionLines = (actions: readonly { name: string | null; result: string; processed: string }[]) =>
  actions.map(({ name, result, processed }) => `  ${processed} ${name ?? 'Action'}: ${result}`);

async function whyUnit(api: CloudFitClient, number: number) {
  const unit = await unitOf(api, number);
  const { value } = await api.list('unitMatches', { filter: `workUnitId eq ${unit.workUnitId}`, orderBy: 'firstMatch asc', top: 1 });
  const [match] = value;
  if (!match)
    return { value: { unit, explanation: null }, lines: [`${number} was opened by ${unit.createdBy}; no rule has to do with it.`] };
  const explanation = await api.call(explainMatch, { id: match.ruleMatchId });
  const lines = [
    `${number} ${unit.title}`,
    explanation.summary,
    ...explanation.reasons,
    ...explanation.conditions.map(({ text, saw, satisfied }) => `  ${satisfied ? 'yes' : 'no '} ${text}: ${saw}`),
    ...actionLines(explanation.actions),
  ];
  return { value: { unit, explanation }, lines };
}

async function whyDevice(api: CloudFitClient, name: string, at: string | undefined) {
  const device = await deviceOf(api, name);
  const explanation = await api.call(explainEntity, { entityId: device.deviceId, at });
  const lines = [
    `${device.name} at ${explanation.at}`,
    explanation.summary,
    ...explanation.reasons,
    ...explanation.rules.flatMap(({ ruleName, outcome, summary, actions }) => [
      `${ruleName}: ${outcome}. ${summary}`,
      ...actionLines(actions),
    ]),
    ...(explanation.leftOut > 0 ? [`${explanation.leftOut} further rules have to do with it.`] : []),
  ];
  return { value: explanation, lines };
}

const why: CommandPart = {
  name: 'why',
  usage: 'NUMBER | DEVICE',
  about: 'Why a work unit was opened, or what all rules made of a device: who was notified, or why nobody.',
  options: { at: { type: 'string', about: 'of a device: at this time, such as 2026-11-29T07:00:00Z, instead of now' } },
  run: async (context) => {
    const { words, client, print } = context;
    const [what] = words;
    if (what === undefined || words.length > 1)
      throw new UsageError('Name one work unit or device: cloudfit why 1042, cloudfit why "web 1"');
    const api = await client();
    const { value, lines } = /^#?\d{1,15}$/.test(what)
      ? await whyUnit(api, Number(what.replace('#', '')))
      : await whyDevice(api, what, textOption(context, 'at'));
    print.value(value, lines);
  },
};

const running: readonly string[] = ['Queued', 'Running'];

const run: CommandPart = {
  name: 'run',
  usage: 'OPERATION on DEVICE',
  about: 'Run an operation of a device now, and wait for its result; the exit code is 1 unless it succeeds.',
  options: { 'no-wait': { type: 'boolean', about: 'only request the run' } },
  run: async ({ words, options, client, print, surroundings }) => {
    const on = words.lastIndexOf('on');
    const [label, name] = [words.slice(0, on).join(' '), words.slice(on + 1).join(' ')];
    if (on < 1 || name === '') throw new UsageError('Name the operation and its device: cloudfit run "Disk check" on "web 1"');
    const api = await client();
    const device = await deviceOf(api, name);
    const { value: operations } = await api.list('deviceOperations', { filter: `deviceId eq ${device.deviceId}`, top: 1_000 });
    const operation = operations.find((row) => row.label.toLowerCase() === label.toLowerCase() || row.deviceOperationId === label);
    if (!operation)
      throw new MissingError(
        `${device.name} has no operation ${label}; it has ${operations.map((row) => row.label).join(', ') || 'none'}.`,
      );
    const { completionToken: runId } = await api.call(enqueue, { id: operation.deviceOperationId });
    if (runId === null) throw new OutcomeError(`${operation.label} was not queued. Is it enabled?`);
    if (options['no-wait'] === true) return print.value({ operationRunId: runId, status: 'Queued' }, [`Requested as ${runId}.`]);
    print.note(`Requested; ${device.name} runs ${operation.label} ...`);
    for (;;) {
      const { value: runs } = await api.list('operationRuns', { filter: `operationRunId eq ${runId}`, top: 1 });
      const [result] = runs;
      if (result && !running.includes(result.status)) {
        print.value(result, [
          result.status,
          ...(result.message ? [result.message] : []),
          ...(result.output ? result.output.split('\n') : []),
        ]);
        if (result.status !== 'Success') throw new OutcomeError(`${operation.label} ended as ${result.status}.`);
        return;
      }
      await wait(1_000, surroundings.signal);
    }
  },
};

export const deviceParts: readonly CommandPart[] = [why, run];
