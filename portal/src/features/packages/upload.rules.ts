/** Validates an upload, builds its form data, and explains its failure. */
import { limits } from '@cloudfit/contract/limits.ts';
import { packageTexts } from '@cloudfit/contract/messages/packages.en.ts';
import { signatureBytes } from '@cloudfit/contract/packages/signature.ts';
import { RequestFailed } from '../../api/client.ts';

const t = packageTexts.upload;

export interface UploadDraft {
  label: string;
  /** Null for all tenants. */
  tenantId: string | null;
  files: readonly File[];
}

export type UploadFaults = Partial<Record<'label' | 'files' | 'tenantId', string>>;

/** Whether the file is a signature: `package.zip.sig` has the signature of `package.zip`. */
export const isSignature = (file: File): boolean => /\.sig$/i.test(file.name);
const zipsOf = (files: readonly File[]): File[] => files.filter((file) => !isSignature(file));
const signatureOf = (zip: File, files: readonly File[]): File | undefined =>
  files.find((file) => file.name.toLowerCase() === `${zip.name}.sig`.toLowerCase());

export function uploadFaults({ label, files: chosen }: UploadDraft): UploadFaults {
  const files = zipsOf(chosen);
  const alone = chosen.find((file) => isSignature(file) && !files.some((zip) => signatureOf(zip, [file])));
  return {
    ...(label.trim() === '' ? { label: t.labelRequired } : {}),
    ...(files.length === 0 ? { files: t.fileRequired } : {}),
    ...(alone ? { files: t.zipMissing(alone.name) } : {}),
    ...(files.length > limits.uploadFiles ? { files: t.tooMany(limits.uploadFiles) } : {}),
  };
}

/** Returns the signature in base64. Signing tools write 64 bytes or their base64. */
async function signatureText(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  return bytes.length === signatureBytes ? btoa(String.fromCodePoint(...bytes)) : new TextDecoder().decode(bytes.subarray(0, 4_000)).trim();
}

/**
 * Builds the form data of an upload: parts as API-172 and API-173 name them, and `signature-N` for a zip with a signature file.
 */
export async function uploadForm({ label, tenantId, files }: UploadDraft): Promise<FormData> {
  const form = new FormData();
  form.append('label', label.trim());
  if (tenantId) form.append('tenantId', tenantId);
  for (const [at, file] of zipsOf(files).entries()) {
    form.append(`file-${at + 1}`, file, file.name);
    const signature = signatureOf(file, files);
    if (signature) form.append(`signature-${at + 1}`, await signatureText(signature));
  }
  return form;
}

/** The messages of a failed upload: those of `label` and `tenantId` as `faults`, all others as `messages` (ERR-022). */
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
