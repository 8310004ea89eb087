/** Messages between the server and the agent of a device: registration, configuration, packets, log. */
import { z } from 'zod';
import { logEntryTypes } from '../enums.ts';
import { parameterValue } from '../packages/parameters.ts';
import { guidSchema } from '../resource.ts';
import { packetMessage } from '../resources/packets.ts';
import { agentPublicKey } from './identity.ts';
import { machineFacts } from './machine-facts.ts';
import { asOneLine } from '../text-checks.ts';

const line = (label: string, max: number) =>
  z
    .string()
    .check(...asOneLine(label))
    .min(1)
    .max(max);

/**
 * Body of `POST /v1/agent/register`. The agent creates `machineKey` once and stores it in its state folder. With an enrolment
 * token, it also sends its public key: once enrolled, the agent signs in with this key. A machine that has found to be a copy sends a new
 * `machineKey` and a new public key with the access token of the device that it is a copy of. Without proof of its key by an access token,
 * a registration that is there is not changed.
 */
export const registerRequest = z.object({
  machineKey: guidSchema,
  machineName: line('machineName', 200),
  operatingSystem: line('operatingSystem', 200),
  architecture: line('architecture', 50),
  agentVersion: line('agentVersion', 50),
  publicKey: agentPublicKey.optional(),
  /** Identifies the process of the agent: random for each start. */
  instanceId: z.optional(guidSchema),
  facts: z.optional(machineFacts),
});
export type RegisterRequest = z.infer<typeof registerRequest>;

/** `deviceId` is present when `status` is `promoted`. */
export const registerAnswer = z.object({
  status: z.enum(['pending', 'promoted']),
  pendingDeviceId: z.string(),
  deviceId: z.string().optional(),
  /**
   * Public Ed25519 keys that verify signatures of packages (SPKI in base64). The agent stores the keys of its first
   * registration and never replaces them.
   */
  packageKeys: z.array(z.string()).default([]),
  /** The `aud` of the agent's assertions; present when the server has stored the agent's public key. */
  audience: z.string().optional(),
});
export type RegisterAnswer = z.infer<typeof registerAnswer>;

/**
 * The maximum of `GET /v1/agent/configuration?wait=`, the seconds that the server waits for a change (long poll). Long, because
 * each poll costs traffic; below 60, because common proxies end an idle request after 60 s.
 */
export const configurationWaitMaxSeconds = 55;

/** An enabled operation of the device. Its results are packets whose entity is `deviceOperationId`. */
const agentOperation = z.object({
  deviceOperationId: z.string(),
  label: z.string(),
  packageId: z.string(),
  packageName: z.optional(z.string()),
  /** The operation's name in the manifest of the package. */
  operation: z.string(),
  frequencyTypeId: z.int(),
  intervalSeconds: z.int(),
  isInteractive: z.boolean(),
  parameters: z.array(parameterValue),
  /** Id of the requested run; null without one. */
  completionToken: z.string().nullable(),
});

/** A package that the agent installs, or removes if `wanted` is null. */
const agentPackage = z.object({
  packageId: guidSchema,
  name: z.string(),
  packageTypeId: z.int(),
  executableTypeId: z.int(),
  installedVersionId: z.string().nullable(),
  wanted: z
    .object({
      packageVersionId: guidSchema,
      version: z.string(),
      executableName: z.string(),
      fileSize: z.int(),
      /** SHA-256 in hex of the file at `GET /v1/packages/{packageId}/versions/{packageVersionId}/content`. */
      sha256: z.string(),
      /** The server's Ed25519 signature of `signedText`, in base64. */
      signature: z.string().nullable().default(null),
      /** The publisher who has signed the SHA-256, with the signature in base64; null without one. */
      publisher: z.object({ name: z.string(), signature: z.string() }).nullable().default(null),
      /** Whether the agent installs the version without a publisher's signature even if the tenant requires a signature. */
      comesWithServer: z.boolean().default(false),
    })
    .nullable(),
  /** Increases each time that somebody saves the wish, also to retry a failed installation. */
  wishNumber: z.int().default(0),
});
export type AgentPackage = z.infer<typeof agentPackage>;

/** Answer of `GET /v1/agent/configuration`. `version` identifies its content: the `ETag` header without quotes. */
export const agentConfiguration = z.object({
  deviceId: z.string(),
  name: z.string(),
  tenantId: z.optional(z.string()),
  enabled: z.boolean(),
  /** Interval in seconds; 0 turns heartbeats off. */
  heartbeatInterval: z.int().min(0),
  restartAgentFlag: z.boolean(),
  /** Whether the server requests that the agent replaces its key. */
  replaceKey: z.boolean().optional(),
  traceExpiration: z.string().nullable(),
  operations: z.array(agentOperation).default([]),
  packages: z.array(agentPackage).default([]),
  /** Publishers whose signatures on packages the tenant trusts; the keys are SPKI in base64. */
  publishers: z.array(z.object({ name: z.string(), publicKey: z.string() })).default([]),
  /** Whether the tenant accepts only packages that one of these publishers has signed, and those that come with the server. */
  onlyTrustedPublishers: z.boolean().default(false),
  version: z.string(),
});
export type AgentConfiguration = z.infer<typeof agentConfiguration>;

/** One packet as an agent sends it: `messageId` makes sending idempotent, `timestamp` is the time of the measurement. */
export const agentPacket = z.object({
  messageId: z.string(),
  entityId: z.string(),
  timestamp: z.string(),
  message: packetMessage,
});
export type AgentPacket = z.infer<typeof agentPacket>;

/** Answer of `POST /v1/packets`: what happened to each item, by its index in the batch. */
export const packetsAnswer = z.object({
  value: z.array(
    z.object({
      index: z.int().min(0),
      entityId: z.string().nullish(),
      status: z.enum(['stored', 'duplicate', 'refused']),
      message: z.string().optional(),
    }),
  ),
});

/** The maximum number of entries in one `POST /v1/agent/logs`. */
export const agentLogsMax = 500;

const agentLogEntry = z.object({
  created: z.iso.datetime(),
  entryType: z.enum(logEntryTypes),
  detail: z.string().trim().min(1).max(4_000),
  /** The device operation that the line is about. */
  deviceOperationId: z.optional(guidSchema),
});
export type AgentLogEntry = z.infer<typeof agentLogEntry>;

/** Body of `POST /v1/agent/logs`: what the agent did, oldest first. */
export const agentLogs = z.object({ entries: z.array(agentLogEntry).min(1).max(agentLogsMax) });
export type AgentLogs = z.infer<typeof agentLogs>;
