/** The shapes of facts that the system can record, of the report of a week, and of the counts of a week. */
import { z } from 'zod';
import { controlStatusValues, evidenceKinds } from '../enums.ts';
import { factKeys } from './evidence.ts';

export const complianceFact = z.object({ key: z.enum(factKeys), title: z.string(), text: z.string() });

export type ComplianceFact = z.infer<typeof complianceFact>;

const reportedEvidence = z.object({
  evidenceId: z.string(),
  kind: z.enum(evidenceKinds),
  title: z.string(),
  url: z.string().nullable(),
  fact: z.string().nullable(),
  fileName: z.string().nullable(),
  sha256: z.string().nullable(),
  created: z.string(),
  createdBy: z.string(),
});

const status = z.enum(controlStatusValues);

/** One control of the week. `before` is the control's status in the previous week. */
export const reportedControl = z.object({
  name: z.string(),
  title: z.string(),
  description: z.string().nullable(),
  status,
  before: status,
  notes: z.string().nullable(),
  modified: z.string().nullable(),
  modifiedBy: z.string().nullable(),
  evidence: z.array(reportedEvidence),
});

export type ReportedControl = z.infer<typeof reportedControl>;

/** A week of a tenant and control set: its current state, or its state at the sign-off. */
export const weekReport = z.object({
  set: z.string(),
  description: z.string().nullable(),
  tenant: z.string(),
  /** Midnight UTC of the Monday. */
  week: z.string(),
  controls: z.array(reportedControl),
});

export type WeekReport = z.infer<typeof weekReport>;

/** The number of controls of a set per status in one week; controls without a status are not counted. */
export const weekCounts = z.object({
  /** Midnight UTC of the Monday. */
  week: z.string(),
  counts: z.partialRecord(status, z.number()),
  isSigned: z.boolean(),
});

export type WeekCounts = z.infer<typeof weekCounts>;
