/** The order that has an agent uninstall itself, and its report. */
import { z } from 'zod';

/** What a server tells a machine that it refuses. The signature is of the key by which the agent checks packages. */
export const uninstallOrder = z.object({
  orderId: z.uuid(),
  /** Afterwards the agent does not follow it any more, so that nobody can repeat it. */
  until: z.string(),
  /** Ed25519 of `uninstallText`, in base64. */
  signature: z.string(),
});
export type UninstallOrder = z.infer<typeof uninstallOrder>;

/** The text that the server signs. It names the machine, so that the order for one is none for another. */
export const uninstallText = ({ orderId, until }: Omit<UninstallOrder, 'signature'>, registrationId: string): string =>
  `cloudfit uninstall version 1\n${orderId}\n${registrationId}\n${until}\n`;

/** The claim of an assertion by which an agent reports what it has removed. */
export const uninstalledClaim = 'uninstalled';

const lines = z.array(z.string().max(300)).max(20);

export const uninstallReport = z.object({
  orderId: z.uuid(),
  /** The packages that were removed. */
  removed: lines,
  /** What the agent cannot remove, and why. */
  stays: lines,
});
export type UninstallReport = z.infer<typeof uninstallReport>;

/** The exit code of an agent that has uninstalled itself: the service manager does not start it again. */
export const uninstalledExitCode = 76;

/** File of the state folder that says so, to the service manager and to a later start. */
export const uninstalledFile = 'uninstalled';
