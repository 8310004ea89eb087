/** The time in which reads of single rows are collected for one call. */
const gatherMs = 8;

/**
 * Returns a function that reads the value of one id; reads within `gatherMs` become one call, or several of `limit` ids. `read`
 * returns the values that exist, by id; every other id gets the value `missing`.
 */
export function gathered<T>(
  limit: number,
  read: (ids: readonly string[]) => Promise<ReadonlyMap<string, T>>,
  missing: T,
): (id: string) => Promise<T> {
  interface ReadToAnswer {
    answer: (value: T) => void;
    fail: (error: unknown) => void;
  }
  type Reads = Map<string, ReadToAnswer[]>;
  let pending: Reads | undefined;

  async function answerAll(reads: ReadonlyMap<string, ReadToAnswer[]>): Promise<void> {
    const ids = [...reads.keys()];
    for (let i = 0; i < ids.length; i += limit) {
      const part = ids.slice(i, i + limit);
      try {
        const values = await read(part);
        for (const id of part) for (const { answer } of reads.get(id) ?? []) answer(values.get(id) ?? missing);
      } catch (error) {
        for (const id of part) for (const { fail } of reads.get(id) ?? []) fail(error);
      }
    }
  }

  return (id) =>
    new Promise((answer, fail) => {
      let reads = pending;
      if (!reads) {
        const first: Reads = new Map();
        pending = first;
        reads = first;
        setTimeout(() => {
          pending = undefined;
          void answerAll(first);
        }, gatherMs);
      }
      reads.set(id, [...(reads.get(id) ?? []), { answer, fail }]);
    });
}
