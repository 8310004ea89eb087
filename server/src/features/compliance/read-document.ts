/** Converts a file into a control set. The file is in the project's own JSON format or a NIST OSCAL catalog. */
import { validationFailed } from '@cloudfit/contract/errors.ts';
import { controlSetDocument, type ControlSetDocument } from '@cloudfit/contract/compliance/control-set.ts';
import { fromOscal, oscalCatalog } from '@cloudfit/contract/compliance/oscal.ts';
import type { z } from 'zod/mini';

function parsed<T>(schema: z.ZodMiniType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const problems = result.error.issues.slice(0, 20);
  throw validationFailed(
    problems.map(({ path, message }) => ({ target: path.join('.'), message: `${path.join('.') || 'The file'}: ${message}` })),
  );
}

/** Returns the control set of a parsed file; throws a 400 that names the invalid parts. */
export function readControlSet(document: unknown): ControlSetDocument {
  const isCatalog = typeof document === 'object' && document !== null && 'catalog' in document;
  return parsed(controlSetDocument, isCatalog ? fromOscal(parsed(oscalCatalog, document)) : document);
}
