/** Reverts edits of work units by new changes. Units of which somebody else has changed an edited field stay as they are. */
import type { QueryClient } from '@tanstack/react-query';
import { massEditTexts } from '@cloudfit/contract/messages/mass-edit.en.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { toast } from '../../components/toasts.tsx';
import { tellOfRow } from '../../hooks/tell-of-row.ts';
import { toastFailure } from '../../hooks/toast-failure.ts';
import { sendEdits } from './send-edits.ts';
import { requestsOf, undoOf, type UnitEdit } from './unit-edits.ts';

interface UndoTexts {
  undoing: string;
  undone: (n: number) => string;
  undoSkipped: (ids: string) => string;
  undoFailed: string;
}

export async function undoEdits(client: QueryClient, edits: readonly UnitEdit[], texts: UndoTexts = massEditTexts): Promise<void> {
  toast.info(texts.undoing);
  const requests = requestsOf(edits);
  const refusedEdits: UnitEdit[] = [];
  let done = 0;
  let sent = 0;
  try {
    for (const request of requests) {
      const { saved, refused } = await sendEdits(request, undoOf);
      refusedEdits.push(...request.filter(({ id }) => refused.has(id)));
      done += saved.length;
      sent += 1;
    }
    if (done > 0) tellOfRow(edits, texts.undone(done));
  } catch (error) {
    console.warn(error);
    const rest = requests.slice(sent).flat();
    toastFailure(error, texts.undoFailed, { action: { label: massEditTexts.retry, run: () => void undoEdits(client, rest, texts) } });
  }
  if (refusedEdits.length > 0) toast.warning(texts.undoSkipped(refusedEdits.map((edit) => `#${edit.number}`).join(', ')));
  await client.invalidateQueries({ queryKey: [workUnits.name] });
}
