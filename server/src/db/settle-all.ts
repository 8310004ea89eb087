/** Statements that one connection sends together. */

/**
 * Waits for all promises, then returns their results or throws the first failure, which causes the later ones. A connection
 * may be released only when nothing runs on it.
 */
export async function settleAll<const T extends readonly Promise<unknown>[]>(
  sent: T,
): Promise<{ -readonly [I in keyof T]: Awaited<T[I]> }> {
  const results = await Promise.allSettled(sent);
  return results.map((r) => {
    if (r.status === 'rejected') throw r.reason;
    return r.value;
  }) as { -readonly [I in keyof T]: Awaited<T[I]> };
}
