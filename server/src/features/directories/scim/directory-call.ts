/** A call of a directory that provisions people: who it is, and what it may reach. */
import type { Db } from '../../../db/db.ts';

export interface ProvisioningDirectory {
  directoryId: string;
  name: string;
  prefix: string;
  mailDomains: readonly string[];
}

export interface DirectoryCall {
  /** Sees all tenants. */
  db: Db;
  directory: ProvisioningDirectory;
  /** Address of SCIM without a slash at its end. */
  base: string;
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
