/** Reverts a mass edit by new changes. Units of which somebody else has changed an edited field stay as they are. */
import type { QueryClient } from '@tanstack/react-query';
import { massEditTexts as t } from '@cloudfit/contract/messages/mass-edit.en.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { changeRows } from '../../api/row-calls.ts';
import { toast } from '../../components/toasts.tsx';
import { toastFailure } from '../../hooks/toast-failure.ts';
import { chunksOf, reasonsOf, undoOf, type Edit } from './mass-edit.rules.ts';

/**
 * Sends one part of the edits. If units are refused, sends the other edits again and returns the edits of the refused units.
 */
async function revertPart(edits: readonly Edit[]): Promise<Edit[]> {
  const refusedEdits: Edit[] = [];
  let rest = edits;
  while (rest.length > 0) {
    try {
      await changeRows(workUnits, rest.map(undoOf));
      return refusedEdits;
    } catch (error) {
      const refused = reasonsOf(error);
      const left = rest.filter(({ id }) => refused.has(id));
      if (left.length === 0) throw error;
      refusedEdits.push(...left);
      rest = rest.filter(({ id }) => !refused.has(id));
    }
  }
  return refusedEdits;
}

export async function undoMassEdit(client: QueryClient, edits: readonly Edit[]): Promise<void> {
  toast.info(t.undoing);
  const refusedEdits: Edit[] = [];
  let done = 0;
  try {
    for (const chunk of chunksOf(edits)) {
      const left = await revertPart(chunk);
      refusedEdits.push(...left);
      done += chunk.length - left.length;
    }
    if (done > 0) toast.success(t.undone(done));
  } catch (error) {
    console.warn(error);
    const rest = edits.slice(done + refusedEdits.length);
    toastFailure(error, t.undoFailed, { action: { label: t.retry, run: () => void undoMassEdit(client, rest) } });
  }
  if (refusedEdits.length > 0) toast.warning(t.undoSkipped(refusedEdits.map((edit) => `#${edit.number}`).join(', ')));
  await client.invalidateQueries({ queryKey: [workUnits.name] });
}
