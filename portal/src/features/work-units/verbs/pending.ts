/** Changes of units that people have asked for and the server has not confirmed: no screen shows them as done. */
import { useSyncExternalStore } from 'react';
import type { FieldName } from '@cloudfit/contract/resource.ts';
import type { workUnits } from '@cloudfit/contract/resources/work-units.ts';

interface PendingChange {
  /** What is being done, in words such as "Acknowledging…". */
  text: string;
  fields: readonly FieldName<typeof workUnits>[];
}

let changes: ReadonlyMap<number, PendingChange> = new Map();
const listeners = new Set<() => void>();

function set(next: ReadonlyMap<number, PendingChange>) {
  changes = next;
  for (const listener of listeners) listener();
}

/** Marks the units until the returned function is called. */
export function markPending(marks: ReadonlyMap<number, PendingChange>): () => void {
  set(new Map([...changes, ...marks]));
  return () => set(new Map([...changes].filter(([id, change]) => marks.get(id) !== change)));
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export function usePendingChange(id: number): PendingChange | undefined {
  return useSyncExternalStore(subscribe, () => changes.get(id));
}

/** The change of this field that waits for the server. */
export function usePendingField(id: number, field: FieldName<typeof workUnits>): string | undefined {
  const change = usePendingChange(id);
  return change?.fields.includes(field) ? change.text : undefined;
}
