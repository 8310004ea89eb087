/** What this agent does when its state folder is a copy of another machine's: it becomes a machine of its own. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { changedFacts, factNames, factsOfAnotherMachine, type MachineFacts } from '@cloudfit/contract/agent/machine-facts.ts';
import type { Log } from '../log.ts';
import { renewMachineKey } from '../machine.ts';
import { newKey, type IdentityFile } from './identity-file.ts';

/** What belongs to a device rather than to this machine, by its names in the state folder. */
export const ofDevice = ['outbox', 'run-reports', 'runs', 'items', 'item-outbox', 'configuration.json'];

/**
 * Makes a new key, with which this machine enrols as a new one. The key of the other machine is kept until then, because it proves to
 * the server what this machine is a copy of.
 */
export async function becomeAnotherMachine(stateDir: string, file: IdentityFile, facts: MachineFacts, now: Date): Promise<void> {
  const identity = file.read();
  const { key, enrolment } = identity ?? {};
  // The identity comes last: after a crash in between, the copy is noticed again.
  renewMachineKey(stateDir);
  file.write({
    key: await newKey(),
    keyCreated: now.toISOString(),
    facts,
    ...(key && enrolment ? { copiedFrom: { key, enrolment } } : identity?.copiedFrom ? { copiedFrom: identity.copiedFrom } : {}),
  });
}

/**
 * Compares this machine with the one for which the key was made. Becomes another machine if two facts differ; then, and until the new
 * machine is enrolled, deletes what the other one has stored. Call this before anything else of the state folder is opened.
 */
export async function checkMachine(stateDir: string, file: IdentityFile, facts: MachineFacts, log: Log): Promise<void> {
  const identity = file.read();
  if (!identity) return;
  const changed = changedFacts(identity.facts ?? {}, facts);
  const names = changed.map((name) => factNames[name]).join(' and ');
  if (changed.length >= factsOfAnotherMachine) {
    log('warn', `This is another machine than the one that was enrolled (${names} changed): the agent enrols it as a new one.`);
    await becomeAnotherMachine(stateDir, file, facts, new Date());
  } else {
    if (changed.length > 0) log('warn', `This machine has changed: ${names} is another one than before.`);
    const next = { ...identity.facts, ...withoutUnknown(facts) };
    if (JSON.stringify(next) !== JSON.stringify(identity.facts)) file.write({ ...identity, facts: next });
  }
  if (file.read()?.copiedFrom) for (const name of ofDevice) rmSync(join(stateDir, name), { recursive: true, force: true });
}

/** A fact that cannot be read this time stays as it was. */
function withoutUnknown(facts: MachineFacts): MachineFacts {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
}
