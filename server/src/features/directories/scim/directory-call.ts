/** A call of a directory that provisions people: who it is, and what it may reach. */
import type { DirectoryKind } from '@cloudfit/contract/resources/directories.ts';
import type { Db } from '../../../db/db.ts';

export interface ProvisioningDirectory {
  directoryId: string;
  name: string;
  prefix: string;
  kind: DirectoryKind;
  mailDomains: readonly string[];
  /** Whether people whom it makes get a mail that says so. */
  tellsNewPeople: boolean;
}

export interface DirectoryCall {
  /** Sees all tenants. */
  db: Db;
  directory: ProvisioningDirectory;
  /** Address of SCIM without a slash at its end. */
  base: string;
  publicUrl: string;
  /** Whether people of this installation sign in with passwords here, and not by another provider. */
  hasPasswords: boolean;
  correlationId: string;
  address: string | undefined;
}

/** How a directory stands in the audit. */
export const actorOf = ({ directory }: DirectoryCall) => ({ kind: 'token' as const, id: directory.directoryId, name: directory.name });

/** Part of a list, as SCIM asks for it. */
export interface DirectoryQuery {
  filter?: string | undefined;
  /** From 1. */
  startIndex: number;
  count: number;
}

export interface DirectoryPage {
  total: number;
  resources: object[];
}

export const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1).toLowerCase();
