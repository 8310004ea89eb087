/** The keys of this agent in its state folder. A key is written here before it is sent to the server. */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { exportJWK } from 'jose/key/export';
import { generateKeyPair } from 'jose/key/generate/keypair';
import { z } from 'zod';
import { agentPublicKey, type AgentPublicKey } from '@cloudfit/contract/agent/identity.ts';
import { machineFacts } from '@cloudfit/contract/agent/machine-facts.ts';
import { SettingsError } from '../settings.ts';
import { identityPath } from './identity-path.ts';

const privateKey = agentPublicKey.extend({ d: z.string() });
export type AgentPrivateKey = z.infer<typeof privateKey>;

const enrolment = z.object({ registrationId: z.string(), audience: z.string() });

const identity = z.object({
  key: privateKey,
  /** When the key was created, by the server's clock if the agent knew it. */
  keyCreated: z.iso.datetime(),
  /** The key that replaces `key` when the server has confirmed it. */
  nextKey: privateKey.optional(),
  /** What the server answered to the enrolment; absent before the enrolment. */
  enrolment: enrolment.optional(),
  /** The machine for which the key was made. */
  facts: machineFacts.optional(),
  /** The identity in the state folder when it was found to be a copy of another machine's; absent after the enrolment. */
  copiedFrom: z.object({ key: privateKey, enrolment }).optional(),
});
export type Identity = z.infer<typeof identity>;

export interface IdentityFile {
  /** Undefined until the first key is created. */
  read(): Identity | undefined;
  write(identity: Identity): void;
}

export function openIdentityFile(stateDir: string): IdentityFile {
  const file = identityPath(stateDir);
  let current = readIdentity(file);
  return {
    read: () => current,
    write: (next) => {
      const descriptor = openSync(`${file}.new`, 'w', 0o600);
      try {
        writeFileSync(descriptor, JSON.stringify(next));
        fsyncSync(descriptor);
      } finally {
        closeSync(descriptor);
      }
      renameSync(`${file}.new`, file);
      current = next;
    },
  };
}

/** Throws if the file exists and cannot be read: with a new key, the server would take this agent for another machine. */
function readIdentity(file: string): Identity | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new SettingsError(`The identity file ${file} cannot be read: ${(error as NodeJS.ErrnoException).code}.`, { cause: error });
  }
  try {
    return identity.parse(JSON.parse(text));
  } catch (error) {
    throw new SettingsError(
      `The identity file ${file} is damaged. Remove it, admit the device again in the portal and give this agent a new token.`,
      { cause: error },
    );
  }
}

export async function newKey(): Promise<AgentPrivateKey> {
  const pair = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
  return privateKey.parse(await exportJWK(pair.privateKey));
}

export const publicHalf = ({ kty, crv, x }: AgentPrivateKey): AgentPublicKey => ({ kty, crv, x });
