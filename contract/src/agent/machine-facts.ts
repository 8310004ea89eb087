/** Facts by which a machine is told apart from a copy of it, each as a hash. */
import { z } from 'zod';

const hash = z.optional(z.string().regex(/^[0-9a-f]{64}$/));

/** Absent facts are not known, as in a container or without the rights to read them. */
export const machineFacts = z.object({
  /** The id of the installed system: `/etc/machine-id`, or `MachineGuid` on Windows. */
  system: hash,
  /** The id of the hardware, by SMBIOS or the firmware. */
  hardware: hash,
  /** The address of the first physical network card. */
  networkCard: hash,
});
export type MachineFacts = z.infer<typeof machineFacts>;

/** The facts in words, for messages. */
export const factNames: Readonly<Record<keyof MachineFacts, string>> = {
  system: 'the id of the installed system',
  hardware: 'the id of the hardware',
  networkCard: 'the first network card',
};

/** Returns the facts that both sides know and that differ. A machine of which two differ is another machine. */
export function changedFacts(before: MachineFacts, now: MachineFacts): (keyof MachineFacts)[] {
  return (Object.keys(factNames) as (keyof MachineFacts)[]).filter(
    (name) => before[name] !== undefined && now[name] !== undefined && before[name] !== now[name],
  );
}

/** The number of changed facts that make another machine. */
export const factsOfAnotherMachine = 2;
