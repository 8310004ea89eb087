/** Validates an upload, builds its form data, and explains its failure. */
import { limits } from '@cloudfit/contract/limits.ts';
import { packageTexts } from '@cloudfit/contract/messages/packages.en.ts';
import { RequestFailed } from '../../api/client.ts';

const t = packageTexts.upload;

export interface UploadDraft {
  label: string;
  /** Null: for all tenants. */
  tenantId: string | null;
  files: readonly File[];
}

export type UploadFaults = Partial<Record<'label' | 'files' | 'tenantId', string>>;

export function uploadFaults({ label, files }: UploadDraft): UploadFaults {
  return {
    ...(label.trim() === '' ? { label: t.labelRequired } : {}),
    ...(files.length === 0 ? { files: t.fileRequired } : {}),
    ...(files.length > limits.uploadFiles ? { files: t.tooMany(limits.uploadFiles) } : {}),
  };
}

/** The parts as API-172 and API-173 name them. */
export function uploadForm({ label, tenantId, files }: UploadDraft): FormData {
  const form = new FormData();
  form.append('label', label.trim());
  if (tenantId) form.append('tenantId', tenantId);
  for (const [at, file] of files.entries()) form.append(`file-${at + 1}`, file, file.name);
  return form;
}

/** The messages of a failed upload: one per field, else the server's error, else a general one (ERR-022). */
export function uploadFailure(error: unknown): { faults: UploadFaults; messages: readonly string[] } {
  if (!(error instanceof RequestFailed) || error.code === '') return { faults: {}, messages: [t.failed] };
  const at = (target: string) => error.details.find((detail) => detail.target === target)?.message;
  const [label, tenantId] = [at('label'), at('tenantId')];
  const others = error.details.filter((detail) => detail.target !== 'label' && detail.target !== 'tenantId');
  const unassigned = others.flatMap((detail) => (detail.message ? [detail.message] : []));
  return {
    faults: { ...(label ? { label } : {}), ...(tenantId ? { tenantId } : {}) },
    messages: unassigned.length > 0 ? unassigned : label || tenantId ? [] : [error.message],
  };
}
